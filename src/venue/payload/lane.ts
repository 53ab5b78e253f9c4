import { cancelIds, type Endpoint, type OperationId, type Profile } from "../profile.ts"
import type { Order, Payload } from "./payload.ts"

/**
 * What a request can do to risk, as far as the interface makes it sure. `cancel` takes orders away, `reduce` makes
 * orders that can only close positions, `open` is everything else. Decided once per request. Freezes, limits, budgets,
 * expiring agents, a full disk and a doubted clock all use this value.
 */
export type Lane = "cancel" | "reduce" | "open"

const cancels: ReadonlySet<OperationId> = new Set(cancelIds)

/** Whether an operation takes orders away and makes none. */
export function isCancel(id: OperationId): boolean {
  return cancels.has(id)
}

/** The only operations for which the interface says that an order's flags apply. */
const heedsFlags: ReadonlySet<OperationId> = new Set<OperationId>(["placeOrder", "placeBatch"])

/** The lane of a request. It is `reduce` only if every order in it can be read and can only reduce. */
export function laneOf(endpoint: Endpoint, payload: Payload, { symbols }: Profile): Lane {
  if (isCancel(endpoint.id)) return "cancel"
  if (!heedsFlags.has(endpoint.id) && !endpoint.appliesFlags) return "open"
  if (payload.kind !== "orders" || payload.orders.length === 0) return "open"
  return payload.orders.every((order) => canOnlyReduce(order, symbols)) ? "reduce" : "open"
}

function canOnlyReduce(order: Order, symbols: Profile["symbols"]): boolean {
  const { algoOrderType } = order
  return (
    order.flags.includes("reduce_only") &&
    order.tpsl === undefined && // legs have no flags, so they might open a position
    (algoOrderType === undefined || algoOrderType === "conditional") &&
    symbols.byId.get(order.symbolId)?.market === "perp"
  )
}
