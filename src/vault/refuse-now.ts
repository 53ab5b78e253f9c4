import type { Refusal } from "../link/refusal.ts"
import type { ActiveSet } from "./active-set.ts"
import { diskLow } from "./low-disk.ts"
import { reducesRisk } from "./policy/reduces-risk.ts"
import type { ReadRequest } from "./read-request.ts"
import { keyLocked } from "./refuse.ts"
import type { Vault } from "./vault.ts"

/** What keeps the vault from signing at this moment, whatever policy says: a disk that is nearly full, a key out of memory. */
export function refuseNow(
  { key, endpoint, payload }: ReadRequest,
  { profile }: ActiveSet,
  { disk, keyring }: Pick<Vault, "disk" | "keyring">,
): Refusal | undefined {
  const low = disk.low()
  if (low !== undefined && !reducesRisk(endpoint.id, payload, profile)) return diskLow(low)
  return keyring.isLocked(key.name) ? keyLocked(key.name) : undefined
}
