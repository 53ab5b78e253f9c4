import { err, ok, type Result } from "../../std/result.ts"
import { onlyReduces } from "../../venue/payload/parse-payload.ts"
import {
  orderMakingOperations,
  type ReadOrder,
  type Subject,
} from "../policy/match/judged-request.ts"
import { quantityUnit } from "../policy/order-size.ts"
import type { OrderSize } from "../policy/terms.ts"
import { enlarges, type Opener, type PositionMode } from "./exposure.ts"

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
  const { lane, operation } = subject.request
  if (lane !== "open") return ok([])
  if (operation === "setPositionMode") return err("position_mode")
  if (!orderMakingOperations.has(operation)) return ok([])
  // A chase moves its price by itself.
  if (subject.orders === undefined || operation === "chaseOrder") return err("order_unreadable")
  const openers: Opener[] = []
  for (const [index, read] of subject.orders.entries()) {
    const opener = openerOf(read, subject, mode)
    if (!opener.ok) return opener
    const notional = sizes[index]?.entry ?? null
    if (opener.value !== undefined) openers.push({ ...opener.value, notional })
  }
  return ok(openers)
}

/** `undefined` for an order that can only reduce. */
function openerOf(
  read: ReadOrder,
  { request, circumstances: { profile } }: Subject,
  mode: PositionMode,
): Result<Omit<Opener, "notional"> | undefined, Uncountable> {
  const { order, symbol } = read
  const endpoint = profile.endpoints.get(request.operation)
  if (endpoint !== undefined && onlyReduces(endpoint, order, profile)) return ok(undefined)
  const areLegsSafe = profile.tpslLegs === "oco_reduce_only"
  if (order.algoOrderType === "tpsl" && areLegsSafe) return ok(undefined)
  // The lists of open orders show no order that waits for its trigger, so no reading would ever cover it.
  const isShown = order.algoOrderType === undefined || order.algoOrderType === "attached_tpsl"
  if (!isShown || (order.tpsl !== undefined && !areLegsSafe)) return err("shown_nowhere")
  if (symbol?.market !== "perp") return err("not_a_perpetual")
  const unit = quantityUnit(read, profile)
  if (!unit.ok || unit.value === "quote") return err("order_unreadable")
  const side = enlarges(mode, { ...order, reduceOnly: false })
  if (side === undefined) return err("side_missing")
  if (side === "neither") return ok(undefined)
  return ok({ symbolId: order.symbolId, side, quantity: order.quantity })
}
