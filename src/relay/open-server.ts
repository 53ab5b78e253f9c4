import { connect, isIP, type Socket } from "node:net"
import { addAbortSignal } from "node:stream"
import { connect as connectTls, type SecureContext, type TLSSocket } from "node:tls"

import { codeOf } from "../std/private-file.ts"
import { err, ok, type Result } from "../std/result.ts"
import type { Server } from "./relay-config.ts"
import type { RelayLimits } from "./relay-limits.ts"
import { type Lack, lacks } from "./why-lost.ts"

export type OpenAsk = {
  readonly secureContext: SecureContext
  readonly limits: RelayLimits
  /** Ends the connection, whether it is open or on its way there. */
  readonly stop: AbortSignal
}

/** Length, then the code that stands where else a version would (PostgreSQL, "Message Formats": SSLRequest). */
const sslRequest = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f])

/** Opens TLS to a server, with this host's certificate. What is open by then is verified: the chain and the name. */
export async function openServer(server: Server, ask: OpenAsk): Promise<Result<TLSSocket, Lack>> {
  const { limits, stop } = ask
  const { host, port } = server
  const socket = connect({
    ...{ host, port, noDelay: true, keepAlive: true, allowHalfOpen: true },
    keepAliveInitialDelay: limits.keepAliveMs,
    // Node's default, 250 ms for each of a name's addresses but the last, is short for a busy machine.
    autoSelectFamilyAttemptTimeout: limits.connectMs / 4,
  })
  addAbortSignal(stop, withoutUnheardErrors(socket))
  const lack =
    (await arrival(socket, "connect", limits.connectMs)) ?? (await askForTls(socket, limits))
  if (lack !== undefined) {
    socket.destroy()
    return err(lack)
  }
  return handshake(socket, server, ask)
}

async function askForTls(socket: Socket, { answerMs }: RelayLimits): Promise<Lack | undefined> {
  socket.write(sslRequest)
  const lack = await arrival(socket, "readable", answerMs)
  if (lack !== undefined) return lack
  const answer = socket.read() as Buffer | null // no encoding was set
  return answer === null ? lacks.ended : whyNoTls(answer)
}

/** PostgreSQL answers with one byte. Any that follow it would be taken for what TLS protects (CVE-2021-23222). */
function whyNoTls(answer: Buffer): Lack | undefined {
  const word = answer.toString("latin1", 0, 1)
  if (word === "E") return lacks.errorBeforeTls
  if (word !== "S" && word !== "N") return lacks.notPostgres
  if (answer.length > 1) return lacks.bytesBeforeTls
  return word === "S" ? undefined : lacks.noTls
}

async function handshake(
  socket: Socket,
  { host }: Server,
  { secureContext, limits }: OpenAsk,
): Promise<Result<TLSSocket, Lack>> {
  const tls = withoutUnheardErrors(
    connectTls({
      ...{ socket, host, secureContext, rejectUnauthorized: true },
      // The name in the handshake can't be an address; what is verified is `host` in either case.
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ALPNProtocols: ["postgresql"],
    }),
  )
  const lack = await arrival(tls, "secureConnect", limits.answerMs)
  if (lack === undefined) return ok(tls)
  tls.destroy()
  return err(lack)
}

/**
 * Waits for `event`. Resolves to `undefined` once it is there, else to why it doesn't come: an error, the connection's end,
 * or `ms` of silence. The caller then destroys the socket.
 */
export function arrival(
  socket: Socket,
  event: "connect" | "readable" | "secureConnect",
  ms: number,
): Promise<Lack | undefined> {
  return new Promise((resolve) => {
    const settle = (lack?: Lack): void => {
      clearTimeout(timer)
      socket.off(event, onEvent).off("error", onError).off("close", onClose)
      resolve(lack)
    }
    const onEvent = (): void => settle()
    const onError = (error: Error): void => settle(codeOf(error) ?? error.name)
    const onClose = (): void => settle(lacks.ended)
    const timer = setTimeout(settle, ms, lacks.silent)
    socket.on(event, onEvent).on("error", onError).on("close", onClose)
  })
}

/** An error that nobody listens to would end the process. Whoever waits for something of the socket hears of it too. */
export function withoutUnheardErrors<Some extends Socket>(socket: Some): Some {
  // Two pipelines and those who wait for the end are more than the 10 at which Node suspects a leak.
  return socket.setMaxListeners(20).on("error", () => undefined)
}

/** Waits until nothing more comes from a socket, and resolves to why. */
export function ending(socket: Socket): Promise<Lack> {
  return new Promise((resolve) => {
    socket.once("end", () => resolve(lacks.ended))
    socket.once("error", (error) => resolve(codeOf(error) ?? error.name))
    socket.once("close", () => resolve(lacks.ended))
  })
}
