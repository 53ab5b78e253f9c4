import type { Entry, Limit } from "../../vault/policy/terms/policy.ts"
import type { OperationId } from "../../venue/profile.ts"
import { rulesBeside, type Files, type PlacedEntry } from "./placed-entry.ts"

/** What brings about the same orders, of more than one or later. */
const siblings: Partial<Record<OperationId, readonly OperationId[]>> = {
  placeOrder: ["placeBatch", "modifyOrder", "modifyBatch"],
  modifyOrder: ["modifyBatch"],
}

/** Says of a hold or limit by which operations a bot goes past it that a rule allows and that can be signed. */
export function goesPast(placed: PlacedEntry<Entry | Limit>, files: Files): string | undefined {
  const { entry } = placed
  const rules = rulesBeside(placed, files)
  const past = [...entry.operations]
    .flatMap((id) => siblings[id] ?? [])
    .filter((id) => !entry.operations.has(id))
    .filter((id) => files.profile.endpoints.get(id)?.signing.known === true)
    .filter((id) => rules.some(({ operations }) => operations.has(id)))
  if (past.length === 0 || ("lane" in entry && entry.lane === "reduce")) return undefined
  return `doesn't cover ${[...new Set(past)].join(", ")}, which a rule allows, so a bot can get round it that way. Add it to endpoints, or leave endpoints out where the entry speaks of orders`
}
