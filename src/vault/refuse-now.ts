import type { Refusal } from "../link/refusal.ts"
import type { ActiveSet } from "./active-set.ts"
import { diskLow } from "./low-disk.ts"
import { reducesRisk } from "./policy/reduces-risk.ts"
import type { ReadRequest } from "./read-request.ts"
import { keyLocked } from "./refuse.ts"
import type { Vault } from "./vault.ts"
import { venueClockOff } from "./venue-clock.ts"

/** What keeps the vault from signing at this moment, whatever policy says: a disk that is nearly full, a clock that is far off the venue's, a key out of memory. */
export function refuseNow(
  { key, endpoint, payload }: ReadRequest,
  set: ActiveSet,
  { disk, keyring, venueClock }: Pick<Vault, "disk" | "keyring" | "venueClock">,
): Refusal | undefined {
  const low = disk.low()
  const why = low === undefined ? venueClockOff(venueClock, set) : diskLow(low)
  if (why !== undefined && !reducesRisk(endpoint.id, payload, set.profile)) return why
  return keyring.isLocked(key.name) ? keyLocked(key.name) : undefined
}
