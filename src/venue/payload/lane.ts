import { cancelIds, type Endpoint, type OperationId, type Profile } from "../profile.ts"
import type { Order, Payload } from "./payload.ts"

/**
 * What a request can do to risk, by what the interface lets one be sure of: a `cancel` takes orders away, `reduce`
 * makes orders that can only close positions, `open` is all else. It is decided once a request, and freezes, limits,
 * budgets, ending agents, the disk and the clock go by this value alone.
 */
export type Lane = "cancel" | "reduce" | "open"

const cancels: ReadonlySet<OperationId> = new Set(cancelIds)

/** Whether an operation takes orders away and makes none. */
export function isCancel(id: OperationId): boolean {
  return cancels.has(id)
}

/** Of these alone the interface says that an order's flags hold. */
const heedsFlags: ReadonlySet<OperationId> = new Set<OperationId>(["placeOrder", "placeBatch"])

/** The lane of a request. Orders reduce only all together, and one that can't be read doesn't. */
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
    order.tpsl === undefined && // legs have no flags, so they may be more than a way out
    (algoOrderType === undefined || algoOrderType === "conditional") &&
    symbols.byId.get(order.symbolId)?.market === "perp"
  )
}
