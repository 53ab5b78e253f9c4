import { connect, type Socket } from "node:net"
import { addAbortSignal } from "node:stream"
import { pipeline } from "node:stream/promises"
import { setTimeout as after } from "node:timers/promises"
import type { SecureContext, TLSSocket } from "node:tls"

import { err, ok, type Result } from "../std/result.ts"
import { arrival, ending, openServer, withoutUnheardErrors } from "./open-server.ts"
import type { Server } from "./relay-config.ts"
import type { RelayLimits } from "./relay-limits.ts"
import { whyLost } from "./why-lost.ts"

type KeepAsk = {
  readonly server: Server
  /** Asked for at each attempt. */
  readonly secureContext: () => SecureContext
  readonly ledgerSocket: string
  readonly limits: RelayLimits
  /** Given when the vault has lost a server, whichever it was: it looks for another then. */
  readonly retry: RetrySignal
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
type RetrySignal = {
  give(): void
  /** Is aborted when the signal is given next. */
  next(): AbortSignal
}

export function retrySignal(): RetrySignal {
  let controller = new AbortController()
  return {
    give() {
      controller.abort()
      controller = new AbortController()
    },
    next: () => controller.signal,
  }
}
