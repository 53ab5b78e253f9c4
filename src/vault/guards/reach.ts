import { compareDecimals, zero } from "../../venue/decimal.ts"
import type { Order } from "../../venue/payload/payload.ts"
import type { GuardedAccount } from "./accounts.ts"
import { enlarges } from "./exposure.ts"
import type { SideOf } from "./guard.ts"

/*
 * Whether reduce-only orders have anything to reduce. Surely they haven't where the side that they reduce can't have come
 * to more than zero, were all filled that is open or in flight. Two things that doesn't know. An order that waits for a
 * trigger may find a position by then, so of such it isn't told. And others may trade the account: for their sake a
 * reading is believed briefly, and none any more once one showed what others did.
 */

/** For how long since it began. */
const believedMs = 10_000

/** Whether a reading that began so long ago may refuse what would be a way out if others had opened a position since. */
export function isBelieved(ageMs: number): boolean {
  return ageMs >= 0 && ageMs <= believedMs // below zero where an operator set the ledger's time back
}

type Reducer = Pick<Order, "symbolId" | "isBuy" | "positionSide" | "algoOrderType">

/** The side that isn't there for the first of these reduce-only orders, if surely none of them has anything to reduce. */
export function nothingFor(
  orders: readonly { readonly order: Reducer }[],
  { mode, exposure }: Pick<GuardedAccount, "mode" | "exposure">,
): SideOf | undefined {
  const worst = exposure.worst([])
  if (typeof worst === "string" || exposure.contradiction() !== undefined) return undefined
  const sides = orders.map(({ order }) => {
    // What an order reduces its opposite enlarges.
    const side = enlarges(mode, { ...order, isBuy: !order.isBuy, reduceOnly: false })
    if (side === undefined || side === "neither" || order.algoOrderType !== undefined) return
    const { measured, inFlight } = worst.position(order.symbolId, side)
    const isThere = [measured, inFlight].some((part) => compareDecimals(part, zero) > 0)
    return isThere ? undefined : { symbolId: order.symbolId, side }
  })
  return sides.includes(undefined) ? undefined : sides[0]
}
