import type { AdminParams, AdminResults, BotParams } from "../../link/calls/methods.ts"
import type { Alarm, AlarmsNow, KeptAlarm } from "../../link/alarms.ts"
import { alarmsNow, gravest, maxAlarms } from "./alarms.ts"
import { symbolsView, waitingHolds } from "./holds.ts"
import type { StatusSources } from "./sources.ts"

/**
 * What alarms, and what is over until every target was told so: what comes and goes while the gate or a target is away
 * is told too. In memory: after a restart what still stands is told anew.
 */
export type AlarmLog = { readonly kept: Map<string, KeptAlarm>; stand: AdminResults["notify"] }

type Logged = StatusSources & { readonly alarmLog: AlarmLog }

const keyOf = ({ name, subject }: Alarm): string => `${name} ${subject}`

/** Keeps something that happened and doesn't last; of so many at once one is like the other. */
export function noteAlarm(alarm: Alarm, { alarmLog: { kept }, now }: Logged): void {
  if (kept.size < maxAlarms) kept.set(keyOf(alarm), { ...alarm, stands: false, at: now() })
}

/** Looks at what alarms now, as long as somebody is to be told. */
export function lookAtAlarms(vault: Logged): void {
  if (vault.active().config.notify.length === 0) return
  const { alarmLog, now } = vault
  const standing = new Map(alarmsNow(vault).map((alarm) => [keyOf(alarm), alarm]))
  const over = [...alarmLog.kept].filter(([key, { stands }]) => stands && !standing.has(key))
  for (const [key, each] of over) alarmLog.kept.set(key, { ...each, stands: false, overAt: now() })
  for (const [key, each] of standing) {
    const before = alarmLog.kept.get(key)
    const at = each.since ?? (before?.stands === true ? before.at : now())
    alarmLog.kept.set(key, { ...each, stands: true, at })
  }
}

/** So much of symbols' names fits a frame beside what waits; with more, no target is told of it in words. */
const maxSymbolsBytes = 96 * 1_024

/** Hears from the gate what was told, and says what there is to tell. Held requests go out where a target has details. */
export function tellAlarms({ over, said }: BotParams["alarms"], vault: Logged): AlarmsNow {
  const { kept, stand } = vault.alarmLog
  vault.alarmLog.stand = { ...stand, said }
  for (const [key, { stands, at }] of kept) if (!stands && over[key] === at) kept.delete(key)
  lookAtAlarms(vault)
  const set = vault.active()
  const { notify: targets } = set.config
  if (targets.length === 0) kept.clear()
  const isDetailed = targets.some(({ details }) => details === "true")
  const symbols = isDetailed ? symbolsView(set) : undefined
  const fits = symbols && Buffer.byteLength(JSON.stringify(symbols)) <= maxSymbolsBytes
  const held = fits === true && { held: { holds: waitingHolds(vault), symbols } }
  return { targets, kept: gravest([...kept.values()]), test: stand.test, ...held }
}

/** How alarms are told; `test` has the gate send each target a message first. */
export function notifyStand({ test }: AdminParams["notify"], { alarmLog, now }: Logged) {
  if (test) alarmLog.stand = { ...alarmLog.stand, test: now() }
  return alarmLog.stand
}
