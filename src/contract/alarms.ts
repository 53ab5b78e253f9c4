/**
 * What can be wrong, by the names of docs/alerts.yml. Those that linger are measured: they may go to and fro,
 * and are over only once they have been so for a while.
 */
const alarmKinds = {
  vault_unreachable: { severity: "critical", lingers: true },
  venue_unreachable: { severity: "critical", lingers: true },
  not_signing: { severity: "critical", lingers: false },
  frozen: { severity: "critical", lingers: false },
  outcome_unknown: { severity: "critical", lingers: false },
  limit_nearly_spent: { severity: "warning", lingers: true },
  limit_spent: { severity: "critical", lingers: true },
  budget_at_reserve: { severity: "warning", lingers: true },
  agent_ends: { severity: "warning", lingers: true },
  agent_ends_today: { severity: "critical", lingers: true },
  token_ends: { severity: "warning", lingers: true },
  client_without_keys: { severity: "critical", lingers: false },
  token_ended: { severity: "critical", lingers: true },
  clock_off: { severity: "warning", lingers: true },
  clock_stops_orders: { severity: "critical", lingers: true },
  disk_filling: { severity: "warning", lingers: true },
  disk_low: { severity: "critical", lingers: true },
  price_ageing: { severity: "warning", lingers: true },
  price_stale: { severity: "warning", lingers: true },
  price_held_back: { severity: "warning", lingers: true },
  price_drift: { severity: "warning", lingers: true },
  price_unconfirmed: { severity: "warning", lingers: false },
  guard_tripped: { severity: "critical", lingers: false },
  account_unread: { severity: "warning", lingers: true },
  account_contradiction: { severity: "warning", lingers: false },
  refuses_much: { severity: "warning", lingers: true },
  files_differ: { severity: "warning", lingers: false },
  host_silent: { severity: "warning", lingers: true },
  hold_waits: { severity: "warning", lingers: false },
} as const

export type AlarmName = keyof typeof alarmKinds

/** Something that a person should see to, as long as it is so. */
export type Alarm = {
  readonly name: AlarmName
  /** Which of several: a limit, a key, a symbol; empty where there is but one. */
  readonly subject: string
  /** What is so: a sentence without its full stop. */
  readonly fact: string
  /** What to do about it, likewise. */
  readonly advice: string
  readonly severity: "warning" | "critical"
  readonly lingers: boolean
  /** When it began, where that is known; else it is when it was first seen. */
  readonly since?: number
}

/** Every name that an alarm can have. */
export const alarmNames = Object.keys(alarmKinds) as readonly AlarmName[]

/** An alarm of that name. */
export function alarm(
  name: AlarmName,
  said: Pick<Alarm, "subject" | "fact" | "advice" | "since">,
): Alarm {
  return { name, ...said, ...alarmKinds[name] }
}
