import { share } from "../../vault/policy/file/policy-file.ts"
import type { Deny, Entry, Rule } from "../../vault/policy/terms/policy.ts"
import { cancelIds, type OperationId } from "../../venue/profile.ts"
import { rulesBeside, type Files, type PlacedEntry } from "./placed-entry.ts"

const placing = ["placeOrder", "placeBatch"] as const satisfies readonly OperationId[]

/** Says of a deny or hold that it stops cancels, or reduce-only orders, that some rule allows. */
export function stopsWaysOut(placed: PlacedEntry<Deny>, files: Files): string | undefined {
  const rules = rulesBeside(placed, files)
  const { entry } = placed
  const covered = (ids: readonly OperationId[], allowing: readonly Rule[]): boolean =>
    ids.some((id) => entry.operations.has(id) && allowing.some((rule) => rule.operations.has(id)))

  if (covered(cancelIds, rules)) {
    return "stops cancels that a rule allows: list its endpoints, without the cancels"
  }
  const forExits = rules.filter(
    (rule) => mayBeReducing(rule, files) && share(rule.matchers.symbols, entry.matchers.symbols),
  )
  if (mayBeReducing(entry, files) && covered(placing, forExits)) {
    return "stops reduce-only orders that a rule allows: add forbid_flags: [reduce_only]"
  }
  return undefined
}

/** Whether a reduce-only order on a perpetual, which has no legs, may match. */
function mayBeReducing({ matchers }: Entry, { profile }: Files): boolean {
  const { forbidFlags, algoOrderTypes, symbols } = matchers
  if (forbidFlags?.includes("reduce_only") === true) return false
  if (algoOrderTypes?.some((type) => type === "none" || type === "conditional") === false)
    return false
  return symbols?.some((id) => profile.symbols.byId.get(id)?.market === "perp") ?? true
}
