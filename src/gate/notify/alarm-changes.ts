import type { Alarm } from "../../link/views/alarms.ts"

/** An alarm that came, or is over. */
export type Change = { readonly state: "raised" | "cleared"; readonly alarm: Alarm }

/** What is measured is over only once it has been so for this long: what goes to and fro is told once. */
export const lingerMs = 60_000

type Told = { readonly alarm: Alarm; readonly goneSinceMs: number | undefined }

/** Compares the alarms of now with those that were told; at first none was. */
export function alarmChanges(): (now: readonly Alarm[], nowMs: number) => readonly Change[] {
  const told = new Map<string, Told>()
  return (now, nowMs) => {
    const names = new Set(now.map(nameOf))
    const raised = now.filter((alarm) => !told.has(nameOf(alarm)))
    for (const alarm of now) told.set(nameOf(alarm), { alarm, goneSinceMs: undefined })
    const gone = [...told].filter(([name]) => !names.has(name))
    const cleared = gone.filter(([, each]) => isOver(each, nowMs))
    for (const [name, each] of gone) {
      told.set(name, { ...each, goneSinceMs: each.goneSinceMs ?? nowMs })
    }
    for (const [name] of cleared) told.delete(name)
    return [
      ...raised.map((alarm) => ({ state: "raised", alarm }) as const),
      ...cleared.map(([, { alarm }]) => ({ state: "cleared", alarm }) as const),
    ]
  }
}

function nameOf({ name, subject }: Alarm): string {
  return `${name} ${subject}`
}

function isOver({ alarm, goneSinceMs = Infinity }: Told, nowMs: number): boolean {
  return !alarm.lingers || nowMs - goneSinceMs >= lingerMs
}
