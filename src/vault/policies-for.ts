import type { ActiveSet } from "./active-set.ts"
import type { Client } from "./bindings.ts"
import type { Policy } from "./policy/policy.ts"

/** The policies that are for a client, whichever of its keys it uses. */
export function policiesFor(
  { name, keys }: Pick<Client, "name" | "keys">,
  { policies }: Pick<ActiveSet, "policies">,
): readonly Policy[] {
  return policies.filter(
    ({ appliesTo: { clients, keys: only } }) =>
      (clients?.includes(name) ?? true) && (only?.some((key) => keys.includes(key)) ?? true),
  )
}
