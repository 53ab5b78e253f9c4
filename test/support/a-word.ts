// A person's word, given on what stands at that moment: what it carries is read from the vault first.

import type { AdminParams } from "../../src/link/calls/methods.ts"
import type { adminMethods } from "../../src/vault/admin-methods.ts"
import type { SetInForce } from "../../src/vault/active/active-set.ts"

type Operated = {
  readonly vault: Pick<SetInForce, "active">
  readonly admin: ReturnType<typeof adminMethods>
}

type Decision = AdminParams["decideHold"]["decision"]

/** Releases or refuses a hold, as the files in force say it. */
export function decideAsShown(
  { vault, admin }: Operated,
  id: string,
  decision: Decision = "released",
) {
  return admin.decideHold({ id, decision, policy_hash: vault.active().policyHash })
}

type Scope = { readonly scope: "all" | "client" | "key"; readonly name: string | null }

/** Ends the freeze of a scope as it stands, or all there are. */
export function thawAsShown({ vault, admin }: Operated, meant?: Scope) {
  const freezes = [...vault.active().freezes]
  const isMeant = (each: Scope) => each.scope === meant?.scope && each.name === meant.name
  return admin.thaw({ freezes: meant === undefined ? freezes : freezes.filter(isMeant) })
}
