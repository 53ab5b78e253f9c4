import type { AlarmsNow, KeptAlarm } from "../../link/views/alarms.ts"
import { heldLine } from "../../words/held-words.ts"

/** The same alarms; of each request that waits for a person it is said what it asks for. */
export function heldInWords(
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
