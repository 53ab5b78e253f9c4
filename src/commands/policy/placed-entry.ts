import { mayMeet } from "../../vault/policy/file/policy-file.ts"
import type { Entry, Policy, Rule } from "../../vault/policy/terms/policy.ts"
import type { Profile } from "../../venue/profile.ts"

/** Where an entry stands. */
export type Placed = Pick<Entry, "name" | "line">

/** An entry of a policy, and the files that it is read with. */
export type PlacedEntry<Kind extends Entry = Entry> = {
  readonly policy: Policy
  readonly entry: Kind
}
export type Files = { readonly policies: readonly Policy[]; readonly profile: Profile }

/** The rules that may allow something to whom an entry is for. */
export function rulesBeside({ policy }: PlacedEntry, { policies }: Files): readonly Rule[] {
  return policies
    .filter((other) => mayMeet(policy.appliesTo, other.appliesTo))
    .flatMap(({ rules }) => rules)
}
