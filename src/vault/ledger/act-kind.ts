const settingNames = ["price_set", "limit_raised", "set_activated", "set_accepted"] as const
const holdNames = ["hold_opened", "hold_released", "hold_refused"] as const

const safetyNames = ["backed_up", "restore_accepted", "clock_accepted"] as const
const stopNames = ["frozen", "thawed", "heartbeat_armed", "heartbeat_missed"] as const

type Named = { readonly act: string }
type SettingName = (typeof settingNames)[number]
type HoldName = (typeof holdNames)[number]
export type StopName = (typeof stopNames)[number]
/** What operators do about copies of the ledger and about the clock. */
export type SafetyName = (typeof safetyNames)[number]

/** Whether an act sets a price, raises a limit or is about a set of files. */
export function isSetting<Act extends Named>(
  act: Act,
): act is Extract<Act, { readonly act: SettingName }> {
  return settingNames.some((name) => name === act.act)
}

/** Whether an act is about a request that waits for a person. */
export function isAboutHold<Act extends Named>(
  act: Act,
): act is Extract<Act, { readonly act: HoldName }> {
  return holdNames.some((name) => name === act.act)
}

/** Whether an act is about a copy of the ledger or about the clock. */
export function isSafety<Act extends Named>(
  act: Act,
): act is Extract<Act, { readonly act: SafetyName }> {
  return safetyNames.some((name) => name === act.act)
}

/** Whether an act is about a freeze, or a client whose silence makes one. */
export function isStop<Act extends Named>(
  act: Act,
): act is Extract<Act, { readonly act: StopName }> {
  return stopNames.some((name) => name === act.act)
}
