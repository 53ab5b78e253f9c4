import { hostname } from "node:os"

import { utcText } from "../../std/time/time-words.ts"
import { nameOf } from "./alarm-log.ts"
import { isCritical, isEvent, type Change } from "./hearing.ts"

/** What a target is told, in words of ours and names of the operator's. */
export type Message = {
  readonly source: "countersign"
  /** The same for a message that comes again, since nobody knew whether it had arrived. */
  readonly id: string
  readonly alarm: string
  readonly subject: string
  readonly state: "raised" | "cleared"
  readonly severity: "warning" | "critical"
  readonly text: string
  /** ISO 8601: when it began. */
  readonly at: string
  /** When it was over; `null` while it is so. */
  readonly ended: string | null
  readonly host: string
}

/** What is told later than this after it began says since when it is so. */
const lateMs = 60_000

/** Says in a sentence what came or is over, on which machine, and what to do. What was critical comes as that first, though it is over. */
export function messageOf(change: Change, nowMs: number): Message {
  const { state, alarm } = change
  const { name, subject, severity, fact, advice, at, overAt } = alarm
  const since = nowMs - at > lateMs ? ` (since ${utcText(at)})` : ""
  const sentences = {
    raised: `${fact}${since}; ${advice}.`,
    cleared: `Over: ${fact}.`,
    passed: `It was so from ${utcText(at)} to ${utcText(overAt ?? nowMs)}, and is over: ${fact}.`,
  }
  const isRaised = state === "raised" || (state === "passed" && isCritical(change))
  return {
    source: "countersign",
    id: `${nameOf(alarm)} ${at} ${state}`,
    alarm: name,
    subject,
    state: isRaised ? "raised" : "cleared",
    severity,
    text: `${hostname()}: ${sentences[state]}`,
    at: new Date(at).toISOString(),
    ended: alarm.stands || overAt === undefined ? null : new Date(overAt).toISOString(),
    host: hostname(),
  }
}

/** A message that is sent to see whether it arrives. */
export function testMessage(nowMs: number): Message {
  const host = hostname()
  return {
    source: "countersign",
    id: `test ${nowMs}`,
    alarm: "test",
    subject: "",
    state: "raised",
    severity: "warning",
    text: `${host}: This is a test that an operator asked for; nothing is wrong.`,
    at: new Date(nowMs).toISOString(),
    ended: null,
    host,
  }
}

/** So many of one kind are told one by one. */
export const maxAlike = 5

/** One message, and the changes that it tells. */
export type Told = { readonly change: Change; readonly of: readonly Change[] }

/** Makes one of each kind of which there are too many at once, so that nobody gets a hundred messages. */
export function foldAlike(
  changes: readonly Change[],
  kindOf: (change: Change) => string = byName,
): readonly Told[] {
  const kinds = Map.groupBy(changes, kindOf)
  return [...kinds.values()].flatMap((alike) => {
    const [first] = alike
    return first === undefined || alike.length <= maxAlike
      ? alike.map((change) => ({ change, of: [change] }))
      : [{ change: folded(first, alike.length), of: alike }]
  })
}

function byName({ state, alarm }: Change): string {
  return `${state} ${alarm.name}`
}

/** For a service that ends by its subject what came: one that stood for several it couldn't end. What is never over may be one. */
export function bySubject(change: Change): string {
  return isEvent(change.alarm) ? byName(change) : `${change.state} ${nameOf(change.alarm)}`
}

function folded({ state, alarm }: Change, count: number): Change {
  const fact = `There are ${count} alarms like this one: ${alarm.fact}`
  return { state, alarm: { ...alarm, subject: "", fact } }
}
