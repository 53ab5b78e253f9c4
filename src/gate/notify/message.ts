import { hostname } from "node:os"

import type { Change } from "./alarm-changes.ts"

/** What a webhook is sent, as JSON. Chat services show `text` as it is. */
export type Message = {
  readonly source: "countersign"
  readonly alarm: string
  readonly subject: string
  readonly state: "raised" | "cleared"
  readonly severity: "warning" | "critical"
  readonly text: string
  /** ISO 8601, by this machine's clock. */
  readonly at: string
  readonly host: string
}

/** Says in a sentence what came or is over, on which machine, and what to do. */
export function messageOf({ state, alarm }: Change, nowMs: number): Message {
  const { name, subject, severity, fact, advice } = alarm
  const host = hostname()
  const sentence = state === "raised" ? `${fact}; ${advice}.` : `Over: ${fact}.`
  return {
    source: "countersign",
    alarm: name,
    subject,
    state,
    severity,
    text: `${host}: ${sentence}`,
    at: new Date(nowMs).toISOString(),
    host,
  }
}

/** A message that is sent to see whether it arrives; `by` is the command that sends it. */
export function testMessage(nowMs: number, by: string): Message {
  const host = hostname()
  return {
    source: "countersign",
    alarm: "test",
    subject: "",
    state: "raised",
    severity: "warning",
    text: `${host}: This is a test by ${by}; nothing is wrong.`,
    at: new Date(nowMs).toISOString(),
    host,
  }
}

/** So many of one kind are told one by one. */
export const maxAlike = 5

/** Makes one of each kind of which there are too many at once, so that nobody gets a hundred messages. */
export function foldAlike(changes: readonly Change[]): readonly Change[] {
  const kinds = Map.groupBy(changes, ({ state, alarm }) => `${state} ${alarm.name}`)
  return [...kinds.values()].flatMap((alike) => {
    const [first] = alike
    return first === undefined || alike.length <= maxAlike ? alike : [folded(first, alike.length)]
  })
}

function folded({ state, alarm }: Change, count: number): Change {
  const fact = `There are ${count} alarms like this one: ${alarm.fact}`
  return { state, alarm: { ...alarm, subject: "", fact } }
}
