import { setTimeout as after } from "node:timers/promises"

import type { Log } from "../process/log.ts"
import type { Message } from "./message.ts"
import { isTaken, type Posted } from "./post-message.ts"

export type DeliveryDependencies = {
  readonly post: (message: Message, signal: AbortSignal) => Promise<Posted>
  readonly log: Log
  /** Before each further try. */
  readonly pausesMs?: readonly number[]
}

/** Messages on their way to one webhook, one after the other. */
export type Delivery = {
  add(messages: readonly Message[]): void
  /** Forgets what is waiting, and cuts off what is under way. Safe to call twice. */
  stop(): void
}

/** What is waiting beyond this drops the oldest. */
export const maxWaiting = 100

/** A restart of the receiver, or a short break of the network, loses nothing. */
const usualPausesMs = [1_000, 10_000, 60_000] as const

/** Sends in the order in which messages come. Each is tried four times; then it is dropped, and the log says so. */
export function openDelivery({
  post,
  log,
  pausesMs = usualPausesMs,
}: DeliveryDependencies): Delivery {
  const waiting: Message[] = []
  const stopping = new AbortController()
  const { signal } = stopping
  let isAtWork = false
  const work = async (): Promise<void> => {
    if (isAtWork) return
    isAtWork = true
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const message = next
      const posted = await tryInTurn(() => post(message, signal), pausesMs, signal)
      if (!isTaken(posted) && !signal.aborted) log(lost(posted))
    }
    isAtWork = false
  }
  return {
    add(messages) {
      if (signal.aborted) return
      waiting.push(...messages)
      const dropped = waiting.splice(0, Math.max(0, waiting.length - maxWaiting))
      if (dropped.length > 0) log({ level: "error", event: "notify_dropped" })
      void work()
    },
    stop() {
      waiting.length = 0
      stopping.abort()
    },
  }
}

async function tryInTurn(
  post: () => Promise<Posted>,
  pausesMs: readonly number[],
  signal: AbortSignal,
): Promise<Posted> {
  let posted = await post()
  for (const pauseMs of pausesMs) {
    if (!mayPass(posted)) return posted
    await after(pauseMs, undefined, { ref: false, signal }).catch(() => undefined)
    if (signal.aborted) return posted
    posted = await post()
  }
  return posted
}

/** Whether another try can end otherwise: what the webhook refuses, it will refuse again. */
function mayPass(posted: Posted): boolean {
  if (posted.kind === "failed") return true
  return posted.status >= 500 || posted.status === 429 || posted.status === 408
}

function lost(posted: Posted): Parameters<Log>[0] {
  const why = posted.kind === "answered" ? { status: posted.status } : { code: posted.code }
  return { level: "error", event: "notify_failed", ...why }
}
