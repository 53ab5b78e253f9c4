import { setTimeout as after } from "node:timers/promises"

import type { BotLink } from "../../link/client.ts"
import type { Log } from "../process/log.ts"
import { alarmChanges, type Change } from "./alarm-changes.ts"
import { alarmSource } from "./alarm-source.ts"
import { openDelivery, type Delivery } from "./delivery.ts"
import { foldAlike, messageOf } from "./message.ts"
import { postMessage } from "./post-message.ts"
import { unknownOutcomes } from "./unknown-outcomes.ts"

export type NotifyDependencies = {
  readonly link: Pick<BotLink, "call">
  readonly log: Log
  readonly pollMs?: number
}

/** Messages to the webhook of countersign.yaml, as long as it names one. */
export type Notify = {
  /** A request was sent, and nobody knows what became of it. */
  outcomeUnknown(record: string): void
  /** Asks and sends no more. What is on its way is cut off: nobody waits for a webhook. */
  stop(): void
}

/** Between two questions to the vault. */
const usualPollMs = 5_000

/** The way to one webhook, which was told nothing yet. */
type Way = {
  readonly webhook: string
  readonly delivery: Delivery
  readonly changes: ReturnType<typeof alarmChanges>
}

/** Asks the vault again and again what is wrong, and sends a message for each change. */
export function startNotify({ link, log, pollMs = usualPollMs }: NotifyDependencies): Notify {
  const ask = alarmSource(link)
  const unknown = unknownOutcomes()
  const stopping = new AbortController()
  const { signal } = stopping
  let way: Way | undefined
  const look = async (): Promise<void> => {
    const told = await ask()
    if (told === undefined || signal.aborted) return
    const { webhook, alarms } = told
    way = wayTo(webhook, way, log)
    if (way === undefined) {
      unknown.forget()
      return
    }
    const nowMs = performance.now()
    way.delivery.add(messagesOf([...unknown.take(nowMs), ...way.changes(alarms, nowMs)]))
  }
  void again(look, pollMs, signal)
  return {
    outcomeUnknown: unknown.note,
    stop() {
      stopping.abort()
      way?.delivery.stop()
    },
  }
}

async function again(
  work: () => Promise<void>,
  pauseMs: number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await work()
    await after(pauseMs, undefined, { ref: false, signal }).catch(() => undefined)
  }
}

/** The one that there is, as long as it leads there. */
function wayTo(webhook: string | null, way: Way | undefined, log: Log): Way | undefined {
  if (way?.webhook === webhook) return way
  way?.delivery.stop()
  return webhook === null ? undefined : openWay(webhook, log)
}

function openWay(webhook: string, log: Log): Way {
  const post: Parameters<typeof openDelivery>[0]["post"] = (message, signal) =>
    postMessage(webhook, message, signal)
  return { webhook, delivery: openDelivery({ post, log }), changes: alarmChanges() }
}

function messagesOf(changes: readonly Change[]) {
  return foldAlike(changes).map((change) => messageOf(change, Date.now()))
}
