import type { Payload } from "../../venue/payload.ts"
import { cancelIds, type OperationId, type Profile } from "../../venue/profile.ts"

/** The operations that take orders away and make none. */
export const cancels: ReadonlySet<OperationId> = new Set(cancelIds)

/**
 * Tells whether a request can only lower risk: a cancel, or orders that are all reduce-only on symbols
 * that the table calls perpetual.
 */
export function reducesRisk(operation: OperationId, payload: Payload, profile: Profile): boolean {
  if (cancels.has(operation)) return true
  if (payload.kind !== "orders" || payload.orders.length === 0) return false
  return payload.orders.every(
    (order) =>
      order.flags.includes("reduce_only") &&
      order.tpsl === undefined && // legs have no flags, so they may be more than a way out
      profile.symbols.byId.get(order.symbolId)?.market === "perp",
  )
}
