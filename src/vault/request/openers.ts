import { err, ok, type Result } from "../../std/result.ts"
import { onlyReduces } from "../../venue/payload/parse-payload.ts"
import type { Order } from "../../venue/payload/payload.ts"
import type { Profile } from "../../venue/profile.ts"
import {
  orderMakingOperations,
  type ReadOrder,
  type Subject,
} from "../policy/match/judged-request.ts"
import { quantityUnit } from "../policy/order-size.ts"
import type { OrderSize } from "../policy/terms.ts"
import { enlarges, type Opener, type PositionMode, type Side } from "../guards/exposure.ts"

/** Why no guard can count what a request may do to a position. */
export type Uncountable =
  "order_unreadable" | "shown_nowhere" | "not_a_perpetual" | "side_missing" | "position_mode"

/**
 * What of a request can enlarge a position, each order by itself; or why that can't be told. A request that can only cancel
 * or reduce has nothing of it. A changed order counts as a new one beside the old. `sizes`: of all its orders.
 */
export function openersOf(
  subject: Subject,
  sizes: readonly OrderSize[],
  mode: PositionMode,
): Result<readonly Opener[], Uncountable> {
  const orders = openingOrders(subject)
  if (!orders.ok) return orders
  const openers: Opener[] = []
  for (const [index, read] of orders.value.entries()) {
    if (canOnlyReduce(read, subject)) continue
    const opener = openerOf(read, subject, mode)
    if (!opener.ok) return opener
    const { side } = opener.value
    const { entry: notional, cost } = sizes[index] ?? unsized
    if (side !== "neither") openers.push({ ...opener.value, side, notional, cost })
  }
  return ok(openers)
}

const unsized = { entry: null, cost: null } as const

/** All orders of a request that may open a position; none of any other. */
function openingOrders({ request, orders }: Subject): Result<readonly ReadOrder[], Uncountable> {
  const { operation, lane } = request
  if (lane !== "open") return ok([])
  if (operation === "setPositionMode") return err("position_mode")
  if (!orderMakingOperations.has(operation)) return ok([])
  // A chase moves its price by itself.
  return orders === undefined || operation === "chaseOrder" ? err("order_unreadable") : ok(orders)
}

/** By itself, or because a take-profit or stop of the venue's only does. */
function canOnlyReduce({ order }: ReadOrder, { request, circumstances: { profile } }: Subject) {
  const endpoint = profile.endpoints.get(request.operation)
  if (endpoint !== undefined && onlyReduces(endpoint, order, profile)) return true
  return order.algoOrderType === "tpsl" && profile.tpslLegs === "oco_reduce_only"
}

function openerOf(
  read: ReadOrder,
  { circumstances: { profile } }: Subject,
  mode: PositionMode,
): Result<
  Omit<Opener, "notional" | "cost" | "side"> & { readonly side: Side | "neither" },
  Uncountable
> {
  const { order, symbol } = read
  if (!isShown(order, profile)) return err("shown_nowhere")
  if (symbol?.market !== "perp") return err("not_a_perpetual")
  const unit = quantityUnit(read, profile)
  if (!unit.ok || unit.value === "quote") return err("order_unreadable")
  const side = enlarges(mode, { ...order, reduceOnly: false })
  const { symbolId, quantity } = order
  return side === undefined ? err("side_missing") : ok({ symbolId, side, quantity })
}

/** The lists of open orders show no order that waits for its trigger, so no reading would ever cover it. */
function isShown({ algoOrderType, tpsl }: Order, { tpslLegs }: Profile): boolean {
  const isPlain = algoOrderType === undefined || algoOrderType === "attached_tpsl"
  return isPlain && (tpsl === undefined || tpslLegs === "oco_reduce_only")
}
