const settingNames = ["price_set", "limit_raised", "set_activated", "set_accepted"] as const
const holdNames = ["hold_opened", "hold_released", "hold_refused"] as const

type Named = { readonly act: string }
type SettingName = (typeof settingNames)[number]
type HoldName = (typeof holdNames)[number]

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
