import { setTimeout as after } from "node:timers/promises"

import { unknownOutcome, vaultUnreachable } from "../../conditions/gate-alarms.ts"
import type { NotifyTarget } from "../../link/gate-settings.ts"
import { heldLine } from "../../words/held-words.ts"
import { type GateMetrics, knownOf } from "../http/metrics.ts"
import type { Log } from "../process/log.ts"
import { type AlarmsNow, type AskAlarms, type KeptAlarm, nameOf, type Told } from "./alarm-log.ts"
import { deliver } from "./deliver.ts"
import { openTeller, type Pauses, type Teller } from "./teller.ts"

type NotifyDependencies = {
  /** What is wrong, by the vault. */
  readonly alarms: AskAlarms
  readonly log: Log
  /** The private files that targets name; `undefined` where the gate was given none. */
  readonly directory: string | undefined
  readonly pollMs?: number
  readonly pausesMs?: Pauses
}

/** Messages to the targets of countersign.yaml, as long as it names any. */
export type Notify = ReturnType<typeof startNotify>

/** Between two questions to the vault. */
const usualPollMs = 5_000

/** By the target's settings: one that is changed begins anew. */
type Tellers = ReadonlyMap<string, Teller>

/** Asks the vault again and again what is wrong, tells each target, and says what all were told. */
export function startNotify(deps: NotifyDependencies) {
  const ask = alarmSource(deps.alarms)
  const unknown = unknownOutcomes()
  const stopping = new AbortController()
  const { signal } = stopping
  let tellers: Tellers = new Map()
  let last: AlarmsNow | undefined
  const look = async (): Promise<void> => {
    const now = await ask(toldBy([...tellers.values()], last?.kept ?? []))
    if (now === undefined || signal.aborted) return
    last = now
    tellers = tellersFor(now.targets, tellers, deps)
    const kept = [...now.kept, ...unheard(unknown.now(), now.kept)]
    const detailed = heldInWords(kept, now.held, Date.now())
    for (const teller of tellers.values()) {
      teller.see({ kept, detailed })
      teller.test(now.test)
    }
    unknown.forget((alarm) => isDoneByAll(alarm, [...tellers.values()]))
  }
  void again(look, deps.pollMs ?? usualPollMs, signal)
  return {
    /** A request was sent, and nobody knows what became of it. */
    outcomeUnknown: unknown.note,
    /** Asks and sends no more. What is on its way is cut off: nobody waits for a target. */
    stop(): void {
      stopping.abort()
      for (const teller of tellers.values()) teller.stop()
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

/** What needs no more telling, and how the targets stand. */
function toldBy(tellers: readonly Teller[], kept: readonly KeptAlarm[]): Told {
  const over = kept.filter((alarm) => !alarm.stands && isDoneByAll(alarm, tellers))
  return {
    over: Object.fromEntries(over.map((alarm) => [nameOf(alarm), alarm.at])),
    said: JSON.stringify(tellers.map((teller) => teller.stand())),
  }
}

function isDoneByAll(alarm: KeptAlarm, tellers: readonly Teller[]): boolean {
  return tellers.every((teller) => teller.isDone(alarm))
}

/** Of those that the gate noted, what the vault hasn't told by itself. */
function unheard(noted: readonly KeptAlarm[], kept: readonly KeptAlarm[]): readonly KeptAlarm[] {
  const names = new Set(kept.map(nameOf))
  return noted.filter((alarm) => !names.has(nameOf(alarm)))
}

/** Those that there are, as long as they are named; the others stop. */
function tellersFor(
  targets: readonly NotifyTarget[],
  before: Tellers,
  { log, directory, pausesMs }: NotifyDependencies,
): Tellers {
  const tellers = new Map(
    targets.map((target) => {
      const post: Parameters<typeof openTeller>[0]["post"] = (message, signal) =>
        deliver({ target, directory }, message, signal)
      const key = JSON.stringify(target)
      return [key, before.get(key) ?? openTeller({ target, post, log, pausesMs })]
    }),
  )
  for (const [key, teller] of before) if (!tellers.has(key)) teller.stop()
  return tellers
}

/** A vault that is started again is away for one question. */
const missesUntilTold = 2

/**
 * Asks the vault for its alarms. While it gives no answer those of its last one go on, and once it has
 * given none twice that is an alarm too; before its first answer there are none. Never throws.
 */
function alarmSource(alarms: AskAlarms): (told: Told) => Promise<AlarmsNow | undefined> {
  let last: AlarmsNow | undefined
  let misses = 0
  return async (told) => {
    try {
      last = await alarms(told)
      misses = 0
      return last
    } catch {
      misses += 1
      if (last === undefined || misses < missesUntilTold) return last
      return {
        ...last,
        kept: [{ ...vaultUnreachable(), stands: true, at: Date.now() }, ...last.kept],
      }
    }
  }
}

/** The same alarms; of each request that waits for a person it is said what it asks for. */
function heldInWords(
  kept: readonly KeptAlarm[],
  held: AlarmsNow["held"],
  nowMs: number,
): readonly KeptAlarm[] {
  if (held === undefined) return kept
  const holds = new Map(held.holds.map((hold) => [hold.id, hold]))
  return kept.map((alarm) => {
    const hold = alarm.name === "hold_waits" ? holds.get(alarm.subject) : undefined
    if (hold === undefined) return alarm
    const who = `A request of ${hold.client} with ${hold.key} waits for a person`
    return { ...alarm, fact: `${who}: ${heldLine(hold, held.symbols, nowMs)}` }
  })
}

/** Of more at once nobody is told one by one. */
const maxRecords = 10_000

/** Requests that were sent and nobody knows what became of: the vault may be away, and never hear of it. */
export function unknownOutcomes() {
  const noted = new Map<string, KeptAlarm>()
  return {
    note: (record: string): void => {
      if (noted.size >= maxRecords) return
      noted.set(record, { ...unknownOutcome(record), stands: false, at: Date.now() })
    },
    /** Those that somebody has yet to be told of. */
    now: () => [...noted.values()],
    /** Forgets those of which everyone was told. */
    forget(isDone: (alarm: KeptAlarm) => boolean): void {
      for (const [record, alarm] of noted) if (isDone(alarm)) noted.delete(record)
    },
  }
}

/** The same metrics; of sends whose outcome is unknown `notify` hears too. */
export function toldSends(
  metrics: GateMetrics,
  notify: Pick<Notify, "outcomeUnknown">,
): GateMetrics {
  return {
    ...metrics,
    sent(outcome, record) {
      metrics.sent(outcome, record)
      if (knownOf(outcome) === "unknown") notify.outcomeUnknown(record)
    },
  }
}
