import { diskWarnings } from "./low-disk.ts"
import { standstillOf } from "./safety-methods.ts"
import type { Vault } from "./vault.ts"
import { venueClockWarnings } from "./venue-clock.ts"
import { warningsOf } from "./warnings.ts"

/** All that an operator should know of a vault now, the gravest first. */
export function vaultWarnings(vault: Vault): readonly string[] {
  const alarm = vault.alarm()
  return [
    ...(alarm === undefined ? [] : [alarm]),
    ...standstillOf(vault).map(({ message }) => message),
    ...diskWarnings(vault.disk),
    ...venueClockWarnings(vault.venueClock, vault.active()),
    ...vault.surroundings.warnings,
    ...(vault.curve.warning === undefined ? [] : [vault.curve.warning]),
    ...vault.checkpoints.alarms(),
    ...warningsOf(vault.active(), vault.clock.nowMs()),
  ]
}
