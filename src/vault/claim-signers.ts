import type { ActiveSet } from "./active-set.ts"
import { hasEnded } from "./bindings.ts"
import type { Ledger } from "./ledger/ledger.ts"

/** Takes every signer whose key is in use here for this ledger alone. @throws {Fault} as `claim` does. */
export async function claimSigners({ keys }: ActiveSet, { safety }: Ledger): Promise<void> {
  for (const key of keys.values()) if (!hasEnded(key)) await safety.claim(key.address)
}
