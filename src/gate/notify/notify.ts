import { setTimeout as after } from "node:timers/promises"

import type { BotParams } from "../../link/calls/methods.ts"
import type { BotLink } from "../../link/client.ts"
import type { AlarmsNow, KeptAlarm } from "../../link/views/alarms.ts"
import type { NotifyTarget } from "../../link/views/gate-settings.ts"
import type { Log } from "../process/log.ts"
import { alarmSource } from "./alarm-source.ts"
import { deliver } from "./deliver.ts"
import { nameOf } from "./hearing.ts"
import { heldInWords } from "./held-in-words.ts"
import { openTeller, type Pauses, type Teller } from "./teller.ts"
import { unknownOutcomes } from "./unknown-outcomes.ts"

export type NotifyDependencies = {
  readonly link: Pick<BotLink, "call">
  readonly log: Log
  /** The private files that targets name; `undefined` where the gate was given none. */
  readonly directory: string | undefined
  readonly pollMs?: number
  readonly pausesMs?: Pauses
}

/** Messages to the targets of countersign.yaml, as long as it names any. */
export type Notify = {
  /** A request was sent, and nobody knows what became of it. */
  outcomeUnknown(record: string): void
  /** Asks and sends no more. What is on its way is cut off: nobody waits for a target. */
  stop(): void
}

/** Between two questions to the vault. */
const usualPollMs = 5_000

/** By the target's settings: one that is changed begins anew. */
type Tellers = ReadonlyMap<string, Teller>

/** Asks the vault again and again what is wrong, tells each target, and says what all were told. */
export function startNotify(deps: NotifyDependencies): Notify {
  const ask = alarmSource(deps.link)
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
    outcomeUnknown: unknown.note,
    stop() {
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

/** What the vault is told: what it may forget, and how the targets stand. */
function toldBy(tellers: readonly Teller[], kept: readonly KeptAlarm[]): BotParams["alarms"] {
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
