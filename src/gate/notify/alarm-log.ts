import * as z from "zod"

import { alarmsOf, gravest } from "../../conditions/alarms.ts"
import {
  refusalAlarms,
  type Unanswered,
  unknownOutcome,
  venueAlarms,
} from "../../conditions/gate-alarms.ts"
import { alarm, type Alarm, alarmNames } from "../../contract/alarms.ts"
import type { BotLink } from "../../contract/client.ts"
import type { FactsForGate, HeldInFull } from "../../contract/facts.ts"
import type { NotifyTarget } from "../../link/gate-settings.ts"
import { maxLogChars } from "../../link/calls/methods.ts"
import { parseJson } from "../../std/parse-json.ts"
import { openRefusals } from "./refusals.ts"

/** An alarm that stands, or is over and some target hasn't been told so yet. */
export type KeptAlarm = Alarm & {
  readonly stands: boolean
  /** When it began, in milliseconds of the vault's time, which never goes back. */
  readonly at: number
  /** When it was seen to be over. */
  readonly overAt?: number
}

/** What there is to tell, and to whom. */
export type AlarmsNow = {
  readonly targets: readonly NotifyTarget[]
  /** The gravest first. */
  readonly kept: readonly KeptAlarm[]
  /** When a test of all targets was last asked for; 0 for never. */
  readonly test: number
  /** What waits for a person, where a target is told of it in words. */
  readonly held?: HeldInFull
}

/** What was told so far. */
export type Told = {
  /** When what is over had begun, by name and subject, where all targets know it now. */
  readonly over: Readonly<Record<string, number>>
  /** How the targets stand. */
  readonly said: string
}

/** @throws {Fault} where the vault gives no answer. */
export type AskAlarms = (told: Told) => Promise<AlarmsNow>

/** The name of an alarm among all that there are at a time. */
export function nameOf({ name, subject }: Alarm): string {
  return `${name} ${subject}`
}

type AlarmLog = ReadonlyMap<string, KeptAlarm>

/**
 * Derives from the vault's facts, and from what the gate sees of the venue, what alarms, and keeps what is over until
 * every target was told so. The vault keeps the log as a text for the gate that is started after this one.
 */
export function alarmsOfVault(
  link: Pick<BotLink, "call">,
  unanswered: () => Unanswered | undefined,
): AskAlarms {
  let log: AlarmLog | undefined
  let noted: readonly string[] = []
  const seenHere = alarmsSeen(link, unanswered)
  const ask = async (said: string): Promise<FactsForGate> => {
    const asked = { said, noted: [...noted], ...(log !== undefined && { log: textOf(log) }) }
    const answer = await link.call("alarmFacts", asked)
    const seen = answer.facts === null ? [] : await seenHere(answer.facts.at)
    log = logAfter(log ?? readLog(answer.log), answer, seen)
    noted = answer.unknown.map(({ record }) => record)
    return answer
  }
  return async ({ over, said }) => {
    log = log && new Map([...log].filter(([name, { stands, at }]) => stands || over[name] !== at))
    const { targets, test } = await ask(said)
    const kept = gravest([...(log ?? [])].map(([, each]) => each))
    const isDetailed = targets.some(({ details }) => details === "true")
    const { held } = isDetailed ? await link.call("heldInFull", {}) : { held: null }
    return { targets, kept, test, ...(held !== null && { held }) }
  }
}

/** What alarms by more than one look at the vault. */
function alarmsSeen(link: Pick<BotLink, "call">, unanswered: () => Unanswered | undefined) {
  const refusals = openRefusals()
  return async (nowMs: number): Promise<readonly Alarm[]> => {
    if (refusals.isDue(nowMs)) refusals.see((await link.call("decided", {})).decisions, nowMs)
    return [...venueAlarms(unanswered(), Date.now()), ...refusalAlarms(refusals.asked())]
  }
}

/** The log after one look. Where nobody is to be told it is empty. */
function logAfter(
  before: AlarmLog,
  { facts, unknown }: FactsForGate,
  seen: readonly Alarm[],
): AlarmLog {
  if (facts === null) return new Map()
  const log = logAfterLook(before, gravest([...seen, ...alarmsOf(facts)]), facts.at)
  for (const { record, at } of unknown) {
    const event = unknownOutcome(record)
    log.set(nameOf(event), { ...event, stands: false, at })
  }
  return log
}

function logAfterLook(
  before: AlarmLog,
  alarms: readonly Alarm[],
  now: number,
): Map<string, KeptAlarm> {
  const standing = new Map(alarms.map((each) => [nameOf(each), each]))
  const log = new Map(before)
  for (const [name, each] of before) {
    if (each.stands && !standing.has(name)) log.set(name, { ...each, stands: false, overAt: now })
  }
  for (const [name, each] of standing) {
    const earlier = before.get(name)
    const at = each.since ?? (earlier?.stands === true ? earlier.at : now)
    log.set(name, { ...each, stands: true, at })
  }
  return log
}

const keptText = z.strictObject({
  name: z.enum(alarmNames),
  subject: z.string(),
  fact: z.string(),
  advice: z.string(),
  stands: z.boolean(),
  at: z.number(),
  overAt: z.number().optional(),
})

/** As much of it as the vault keeps, the gravest first. */
function textOf(log: AlarmLog): string {
  let kept = gravest([...log.values()]).map(
    ({ name, subject, fact, advice, stands, at, overAt }) => {
      return { name, subject, fact, advice, stands, at, overAt }
    },
  )
  let text = JSON.stringify(kept)
  while (text.length > maxLogChars) {
    kept = kept.slice(0, -1)
    text = JSON.stringify(kept)
  }
  return text
}

/** What can't be read was another version's. */
function readLog(text: string | null): AlarmLog {
  const read = z.array(keptText).safeParse(parseJson(text ?? "[]"))
  const kept = (read.data ?? []).map(({ name, subject, fact, advice, ...rest }): KeptAlarm => {
    const { overAt, ...times } = rest
    const said = alarm(name, { subject, fact, advice })
    return { ...said, ...times, ...(overAt !== undefined && { overAt }) }
  })
  return new Map(kept.map((each) => [nameOf(each), each]))
}
