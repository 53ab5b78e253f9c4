import { setTimeout as after } from "node:timers/promises"

import * as z from "zod"

import type { NotifyTarget } from "../../link/gate-settings.ts"
import type { Log } from "../process/log.ts"
import { type KeptAlarm, nameOf } from "./alarm-log.ts"
import type { Refusal } from "./deliver.ts"
import { type Change, type Hearing, isCritical, openHearing } from "./hearing.ts"
import { bySubject, foldAlike, type Message, messageOf, testMessage } from "./message.ts"

type TellerDependencies = {
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
export type Teller = ReturnType<typeof openTeller>

/** Tells what there is to tell, until it is taken: nothing is given up, and what waits is bounded by what can alarm. */
export function openTeller({ target, log, pausesMs, ...deps }: TellerDependencies) {
  const hearing = openHearing(target.severity)
  const stopping = new AbortController()
  const { signal } = stopping
  let stand: TargetStand = { name: target.name, takenAt: null, failing: null, test: 0 }
  const pause = openPause(pausesMs ?? usualPausesMs, signal)
  let [testing, isAtWork] = [0, false]
  const post = async (message: Message): Promise<Refusal | undefined> => {
    const refusal = await deps.post(message, signal)
    if (!signal.aborted) stand = standAfter(refusal, stand, log)
    return refusal
  }
  const grave = (): readonly Change[] => hearing.pending(performance.now()).filter(isCritical)
  return {
    /** These are all alarms of now, as they are for all, and for who is told details. */
    see({ kept, detailed }: Readonly<Record<"kept" | "detailed", readonly KeptAlarm[]>>): void {
      const before = new Set(grave().map(keyOf))
      hearing.see(target.details === "true" ? detailed : kept, performance.now())
      if (grave().some((change) => !before.has(keyOf(change)))) pause.hurry()
      if (isAtWork || signal.aborted) return
      isAtWork = true
      void tellAll(hearing, { post, signal, pause, form: target.form }).finally(
        () => (isAtWork = false),
      )
    },
    /** Sends a test at once, whatever waits; one that was sent isn't sent again. What waits follows if it is taken. */
    test(at: number): void {
      if (at <= testing || Date.now() - at > testGoodMs) return
      testing = at
      void post(testMessage(at)).then((refusal) => {
        stand = { ...stand, test: at }
        if (refusal === undefined) pause.works()
      })
    },
    /** Whether an alarm that is over needs no more telling. */
    isDone: (alarm: KeptAlarm) => hearing.isDone(alarm),
    stand: () => stand,
    /** Cuts off what is under way. */
    stop: () => {
      stopping.abort()
    },
  }
}

function keyOf({ state, alarm }: Change): string {
  return `${state} ${nameOf(alarm)}`
}

type Way = {
  readonly post: (message: Message) => Promise<Refusal | undefined>
  readonly signal: AbortSignal
  readonly pause: Pause
  readonly form: NotifyTarget["form"]
}

/** Ends once nothing is to be told. */
async function tellAll(hearing: Hearing, { post, signal, pause, form }: Way): Promise<void> {
  const kindOf = form === "pagerduty" ? bySubject : undefined
  while (!signal.aborted) {
    const [next] = foldAlike(hearing.pending(performance.now()), kindOf)
    if (next === undefined) return
    const refusal = await post(messageOf(next.change, Date.now()))
    if (refusal === undefined) {
      for (const change of next.of) hearing.heard(change, performance.now())
    }
    await pause.rest(refusal)
  }
}

/** Between two messages to one target. */
type Pause = ReturnType<typeof openPause>

function openPause(pausesMs: Pauses, signal: AbortSignal) {
  let failures = 0
  let isAsked = false
  let waking = new AbortController()
  return {
    async rest(refusal: Refusal | undefined): Promise<void> {
      isAsked = (refusal?.waitMs ?? 0) > 0
      failures = refusal === undefined ? 0 : failures + 1
      const ended = AbortSignal.any([signal, waking.signal])
      const ms = pauseMs(refusal, failures, pausesMs)
      await after(ms, undefined, { ref: false, signal: ended }).catch(() => undefined) // it is cut short
      waking = new AbortController()
    },
    /** It took a message: what it refused before is no reason to wait any more. */
    works(): void {
      if (failures > 0) waking.abort()
      failures = 0
    },
    /** There is something grave that it was never asked to take. What it asked for by `Retry-After` still holds. */
    hurry(): void {
      if (failures > 0 && !isAsked) waking.abort()
    },
  }
}

function pauseMs(refusal: Refusal | undefined, failures: number, pauses: Pauses): number {
  if (refusal === undefined) return pauses.taken
  const usual = pauses.failed[Math.min(failures, pauses.failed.length) - 1] ?? 0
  return Math.max(usual, refusal.waitMs)
}

/** How the way to one target stands, as `countersign notify test` and `doctor` read it. */
export const targetStand = z.strictObject({
  name: z.string(),
  /** When it last took a message, in milliseconds; `null` for never since the gate's start. */
  takenAt: z.int().nullable(),
  /** Why the last try failed; `null` if it didn't. */
  failing: z.string().nullable(),
  /** The last test that was tried. */
  test: z.int(),
})
export type TargetStand = Readonly<z.infer<typeof targetStand>>

/** How it stands after a try; the log says what changed. */
function standAfter(refusal: Refusal | undefined, before: TargetStand, log: Log): TargetStand {
  const { name: target, failing } = before
  if (refusal === undefined) {
    if (failing !== null) log({ level: "info", event: "notify_works", target })
    return { ...before, takenAt: Date.now(), failing: null }
  }
  const { why } = refusal
  if (failing !== why) log({ level: "error", event: "notify_failed", target, message: why })
  return { ...before, failing: why }
}
