import { connect, type Socket, isIP } from "node:net"
import { addAbortSignal } from "node:stream"
import { pipeline } from "node:stream/promises"
import { setTimeout as after } from "node:timers/promises"
import { type SecureContext, type TLSSocket, connect as connectTls } from "node:tls"

import { codeOf } from "../std/private-file.ts"
import { err, ok, type Result } from "../std/result.ts"
import type { Server } from "./load-relay.ts"
import type { RelayLimits } from "./relay-limits.ts"
import { whyLost, type Lack, lacks } from "./why-lost.ts"

type KeepAsk = {
  readonly server: Server
  /** Asked for at each attempt. */
  readonly secureContext: () => SecureContext
  readonly ledgerSocket: string
  readonly limits: RelayLimits
  /** Given when the vault has lost a server, whichever it was: it looks for another then. */
  readonly retry: ReturnType<typeof retrySignal>
  /** Hears that the connection lasts. May be called for one that was told of already. */
  readonly onConnected: () => void
  /** Hears at each end why there is no connection. */
  readonly onLost: (why: string) => void
}

/** What became of one connection. */
type Outcome = {
  readonly why: string
  /** Bytes, both ways. */
  readonly hasCarried: boolean
  /** It takes no connection. */
  readonly isVaultAway?: boolean
}

/** Keeps one connection between a server and the vault, again and again until `stop`. Resolves once nothing is left. */
export async function keepServer(ask: KeepAsk, stop: AbortSignal): Promise<void> {
  const isStopping = (): boolean => stop.aborted
  let pauseMs: number | undefined
  while (!isStopping()) {
    const outcome = await connectOnce(ask, stop)
    if (isStopping()) return
    ask.onLost(outcome.why)
    if (outcome.hasCarried) ask.retry.give()
    pauseMs = nextPauseMs(outcome, pauseMs, ask.limits)
    const retry = ask.retry.next()
    await pause(pauseMs, AbortSignal.any([stop, retry]))
    if (retry.aborted) pauseMs = undefined
    if (outcome.isVaultAway) await untilVaultListens(ask, stop)
  }
}

async function pause(ms: number, stop: AbortSignal): Promise<void> {
  await after(ms, undefined, { signal: stop }).catch(() => undefined)
}

/** While the vault starts, servers aren't asked for handshakes that lead nowhere; but for one now and then, to tell how they are. */
async function untilVaultListens(ask: KeepAsk, stop: AbortSignal): Promise<void> {
  const { shortestPauseMs, longestPauseMs } = ask.limits
  for (let waitedMs = 0; waitedMs < longestPauseMs; waitedMs += shortestPauseMs) {
    const dialled = await dialVault(ask, stop)
    if (dialled.ok) dialled.value.destroy()
    if (dialled.ok || stop.aborted) return
    await pause(shortestPauseMs, stop)
  }
}

/** How long to wait after a connection that there was a pause of `beforeMs` before, or none. */
export function nextPauseMs(
  { hasCarried, isVaultAway = false }: Pick<Outcome, "hasCarried" | "isVaultAway">,
  beforeMs: number | undefined,
  { shortestPauseMs, longestPauseMs }: RelayLimits,
): number {
  if (hasCarried || isVaultAway || beforeMs === undefined) return shortestPauseMs
  return Math.min(2 * beforeMs, longestPauseMs)
}

async function connectOnce(ask: KeepAsk, stop: AbortSignal): Promise<Outcome> {
  const { server, limits } = ask
  const opened = await openServer(server, { secureContext: ask.secureContext(), limits, stop })
  if (!opened.ok) return { why: whyLost(server, opened.error), hasCarried: false }
  const lost = ending(opened.value)
  const dialled = await dialVault(ask, stop)
  if (!dialled.ok) {
    opened.value.destroySoon()
    return { why: dialled.error, hasCarried: false, isVaultAway: true }
  }
  const steady = setTimeout(ask.onConnected, limits.steadyMs)
  const why = Promise.race([
    lost.then((lack) => whyLost(server, lack)),
    ending(dialled.value).then(() => "The vault ended the connection."),
  ]).finally(() => clearTimeout(steady))
  const hasCarried = await greetAndCarry(ask, opened.value, dialled.value)
  if (hasCarried) ask.onConnected()
  return { why: await why, hasCarried }
}

/** Whether bytes went both ways. */
async function greetAndCarry(
  { server, limits }: KeepAsk,
  toServer: TLSSocket,
  toVault: Socket,
): Promise<boolean> {
  const greeting = `${JSON.stringify({ server: server.name })}\n`
  toVault.write(greeting)
  await carry(toServer, toVault, limits.lingerMs)
  return toVault.bytesRead > 0 && toVault.bytesWritten > Buffer.byteLength(greeting)
}

async function dialVault(
  { ledgerSocket, limits }: KeepAsk,
  stop: AbortSignal,
): Promise<Result<Socket, string>> {
  const socket = withoutUnheardErrors(connect({ path: ledgerSocket, allowHalfOpen: true }))
  addAbortSignal(stop, socket)
  const lack = await arrival(socket, "connect", limits.connectMs)
  if (lack === undefined) return ok(socket)
  socket.destroy()
  return err(`The vault takes no connection on ${ledgerSocket} (${lack}); it may be starting.`)
}

/**
 * Carries bytes both ways, no faster than each side takes them. When one side ends, the other is told and may finish for
 * `lingerMs`; then both are closed.
 */
async function carry(server: Socket, vault: Socket, lingerMs: number): Promise<void> {
  const ways = [pipeline(server, vault), pipeline(vault, server)]
  const over = Promise.allSettled(ways)
  await Promise.race(ways).catch(() => undefined) // whoever watches the sockets knows why
  const done = new AbortController()
  await Promise.race([
    over.finally(() => done.abort()),
    after(lingerMs, undefined, { signal: done.signal }).catch(() => undefined),
  ])
  server.destroy()
  vault.destroy()
}

/** Ends the pause of all that wait before they connect again. */
export function retrySignal() {
  let controller = new AbortController()
  return {
    give(): void {
      controller.abort()
      controller = new AbortController()
    },
    /** Is aborted when the signal is given next. */
    next: (): AbortSignal => controller.signal,
  }
}

type OpenAsk = {
  readonly secureContext: SecureContext
  readonly limits: RelayLimits
  /** Ends the connection, whether it is open or on its way there. */
  readonly stop: AbortSignal
}

/** Length, then the code that stands where else a version would (PostgreSQL, "Message Formats": SSLRequest). */
const sslRequest = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f])

/** Opens TLS to a server, with this host's certificate. What is open by then is verified: the chain and the name. */
async function openServer(server: Server, ask: OpenAsk): Promise<Result<TLSSocket, Lack>> {
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
function arrival(
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
function withoutUnheardErrors<Some extends Socket>(socket: Some): Some {
  // Two pipelines and those who wait for the end are more than the 10 at which Node suspects a leak.
  return socket.setMaxListeners(20).on("error", () => undefined)
}

/** Waits until nothing more comes from a socket, and resolves to why. */
function ending(socket: Socket): Promise<Lack> {
  return new Promise((resolve) => {
    socket.once("end", () => resolve(lacks.ended))
    socket.once("error", (error) => resolve(codeOf(error) ?? error.name))
    socket.once("close", () => resolve(lacks.ended))
  })
}
