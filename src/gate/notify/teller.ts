import { setTimeout as after } from "node:timers/promises"

import type { KeptAlarm } from "../../link/views/alarms.ts"
import type { NotifyTarget } from "../../link/views/notify-target.ts"
import type { Log } from "../process/log.ts"
import type { Refusal } from "./deliver.ts"
import { openHearing, type Hearing } from "./hearing.ts"
import { foldAlike, messageOf, testMessage, type Message } from "./message.ts"
import { standAfter, untried, type TargetStand } from "./target-stand.ts"

export type TellerDependencies = {
  readonly target: NotifyTarget
  readonly post: (message: Message, signal: AbortSignal) => Promise<Refusal | undefined>
  readonly log: Log
  readonly pausesMs?: Pauses | undefined
}

/** After a message that was taken, and after each further one in a row that wasn't. */
export type Pauses = { readonly taken: number; readonly failed: readonly number[] }

/** Slack and Telegram take one message a second. What fails is tried for ever, at last every five minutes. */
const usualPausesMs: Pauses = { taken: 1_000, failed: [1_000, 10_000, 60_000, 300_000] }

/** A gate that is started later has nothing to do with a test. */
const testGoodMs = 60_000

/** Tells one target, one message after the other, and waits for no other target. */
export type Teller = {
  /** These are all alarms of now, as they are for all, and for who is told details. */
  see(now: { readonly kept: readonly KeptAlarm[]; readonly detailed: readonly KeptAlarm[] }): void
  /** Sends a test at once, whatever waits; one that was sent isn't sent again. */
  test(at: number): void
  /** Whether an alarm that is over needs no more telling. */
  isDone(alarm: KeptAlarm): boolean
  stand(): TargetStand
  /** Cuts off what is under way. */
  stop(): void
}

/** Tells what there is to tell, until it is taken: nothing is given up, and what waits is bounded by what can alarm. */
export function openTeller({ target, log, pausesMs, ...deps }: TellerDependencies): Teller {
  const hearing = openHearing(target.severity)
  const stopping = new AbortController()
  const { signal } = stopping
  let stand = untried(target.name)
  let [testing, isAtWork] = [0, false]
  const post = async (message: Message): Promise<Refusal | undefined> => {
    const refusal = await deps.post(message, signal)
    if (!signal.aborted) stand = standAfter(refusal, stand, log)
    return refusal
  }
  return {
    see({ kept, detailed }) {
      hearing.see(target.details === "true" ? detailed : kept, performance.now())
      if (isAtWork || signal.aborted) return
      isAtWork = true
      void tellAll(hearing, { post, signal, pausesMs: pausesMs ?? usualPausesMs })
        .catch(() => undefined) // a stop cuts a pause off
        .finally(() => (isAtWork = false))
    },
    test(at) {
      if (at <= testing || Date.now() - at > testGoodMs) return
      testing = at
      void post(testMessage(at)).then(() => (stand = { ...stand, test: at }))
    },
    isDone: (alarm) => hearing.isDone(alarm),
    stand: () => stand,
    stop: () => {
      stopping.abort()
    },
  }
}

type Way = {
  readonly post: (message: Message) => Promise<Refusal | undefined>
  readonly signal: AbortSignal
  readonly pausesMs: Pauses
}

/** Ends once nothing is to be told. @throws where it is stopped in a pause. */
async function tellAll(hearing: Hearing, { post, signal, pausesMs }: Way): Promise<void> {
  let failures = 0
  for (;;) {
    const [next] = foldAlike(hearing.pending(performance.now()))
    if (next === undefined || signal.aborted) return
    const refusal = await post(messageOf(next.change))
    if (refusal === undefined) {
      for (const change of next.of) hearing.heard(change, performance.now())
    }
    failures = refusal === undefined ? 0 : failures + 1
    await after(pauseMs(refusal, failures, pausesMs), undefined, { ref: false, signal })
  }
}

function pauseMs(refusal: Refusal | undefined, failures: number, pauses: Pauses): number {
  if (refusal === undefined) return pauses.taken
  const usual = pauses.failed[Math.min(failures, pauses.failed.length) - 1] ?? 0
  return Math.max(usual, refusal.waitMs)
}
