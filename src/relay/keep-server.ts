import { connect, type Socket } from "node:net"
import { addAbortSignal } from "node:stream"
import { setTimeout as after } from "node:timers/promises"
import type { SecureContext, TLSSocket } from "node:tls"

import { err, ok, type Result } from "../std/result.ts"
import type { Server } from "./config/relay-config.ts"
import type { RelayLimits } from "./process/relay-limits.ts"
import { arrival, ending } from "./way/arrival.ts"
import { carry } from "./way/carry.ts"
import { openServer } from "./way/open-server.ts"
import { whyLost } from "./way/why-lost.ts"

export type KeepAsk = {
  readonly server: Server
  /** Asked for at each attempt. */
  readonly secureContext: () => SecureContext
  readonly ledgerSocket: string
  readonly limits: RelayLimits
  /** Hears that the connection lasts. May be called for one that was told of already. */
  readonly onConnected: () => void
  /** Hears at each end why there is no connection. */
  readonly onLost: (why: string) => void
}

/** What became of one connection. */
type Outcome = { readonly why: string; readonly hasCarried: boolean }

/** Keeps one connection between a server and the vault, again and again until `stop`. Resolves once nothing is left. */
export async function keepServer(ask: KeepAsk, stop: AbortSignal): Promise<void> {
  const { shortestPauseMs, longestPauseMs } = ask.limits
  const isStopping = (): boolean => stop.aborted
  let pauseMs = shortestPauseMs
  while (!isStopping()) {
    const { why, hasCarried } = await connectOnce(ask, stop)
    if (isStopping()) return
    ask.onLost(why)
    if (hasCarried) pauseMs = shortestPauseMs
    await after(pauseMs, undefined, { signal: stop }).catch(() => undefined)
    pauseMs = Math.min(2 * pauseMs, longestPauseMs)
  }
}

async function connectOnce(ask: KeepAsk, stop: AbortSignal): Promise<Outcome> {
  const { server, limits } = ask
  const opened = await openServer(server, { secureContext: ask.secureContext(), limits, stop })
  if (!opened.ok) return { why: whyLost(server, opened.error), hasCarried: false }
  const lost = ending(opened.value)
  const dialled = await dialVault(ask, stop)
  if (!dialled.ok) {
    opened.value.destroySoon()
    return { why: dialled.error, hasCarried: false }
  }
  const why = Promise.race([
    lost.then((lack) => whyLost(server, lack)),
    ending(dialled.value).then(() => "The vault ended the connection."),
  ])
  const hasCarried = await carryUntilEnd(ask, opened.value, dialled.value)
  return { why: await why, hasCarried }
}

/** Whether bytes went both ways. */
async function carryUntilEnd(
  { server, limits, onConnected }: KeepAsk,
  toServer: TLSSocket,
  toVault: Socket,
): Promise<boolean> {
  const steady = setTimeout(onConnected, limits.steadyMs)
  const greeting = `${JSON.stringify({ server: server.name })}\n`
  toVault.write(greeting)
  await carry(toServer, toVault, limits.lingerMs)
  clearTimeout(steady)
  const hasCarried = toVault.bytesRead > 0 && toVault.bytesWritten > Buffer.byteLength(greeting)
  if (hasCarried) onConnected()
  return hasCarried
}

async function dialVault(
  { ledgerSocket, limits }: KeepAsk,
  stop: AbortSignal,
): Promise<Result<Socket, string>> {
  const socket = connect({ path: ledgerSocket, allowHalfOpen: true })
  addAbortSignal(stop, socket)
  const lack = await arrival(socket, "connect", limits.connectMs)
  if (lack === undefined) return ok(socket)
  socket.destroy()
  return err(`The vault takes no connection on ${ledgerSocket} (${lack}); it may be starting.`)
}
