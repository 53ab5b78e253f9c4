import { err, ok, type Result } from "../../std/result.ts"
import { compareDecimals, multiplyDecimals, type Decimal } from "../../venue/decimal.ts"
import type { Profile } from "../../venue/profile.ts"
import type { OrderSize } from "./claim.ts"
import type { DenialReason } from "./denial-reason.ts"
import type { JudgedOrder, ReadOrder } from "./judged-order.ts"
import { quantityText } from "./order-text.ts"
import type { Subject } from "./subject.ts"
import { quantityUnit, worstPrice } from "./worst-case.ts"

/** An amount in quote units together with how it comes about, as people read it. */
type Notional = { readonly amount: Decimal; readonly words: () => string }

/** What an order is sized by besides itself. */
type Sizing = {
  readonly reference: Decimal
  readonly priceMatchBand: Decimal | undefined
  readonly profile: Profile
}

/** What one entry or leg can cost at most, in quote units, or why that can't be told. */
function partNotional(
  read: ReadOrder,
  part: JudgedOrder,
  { reference, priceMatchBand, profile }: Sizing,
): Result<Notional, DenialReason> {
  const { order } = read
  const unit = quantityUnit(read, profile)
  if (!unit.ok) return unit
  if (unit.value === "quote")
    return ok({ amount: order.quantity, words: () => " as its quantity says" })

  const at = worstPrice(part, reference, priceMatchBand)
  if (!at.ok) return at
  return ok({
    amount: multiplyDecimals(order.quantity, at.value.price),
    words: () => `: ${quantityText(order, profile.symbols)} at ${at.value.words()}`,
  })
}

/**
 * What every order of a request is sized at, entry and legs apart. `null` where it can't be told: no
 * fresh price, a symbol outside the table, a chase, which moves its price by itself.
 */
export function orderSizes(
  { orders = [], request, circumstances }: Subject,
  priceMatchBand: Decimal | undefined,
): readonly OrderSize[] {
  const { profile } = circumstances
  return orders.map((read): OrderSize => {
    const isSized = request.operation !== "chaseOrder" && read.symbol !== undefined
    const reference = isSized ? read.reference : undefined
    const amounts = read.parts.map((part) => {
      if (reference === undefined) return null
      const notional = partNotional(read, part, { reference, priceMatchBand, profile })
      return notional.ok ? notional.value.amount : null
    })
    const [entry = null, ...legs] = amounts
    return { entry, legs }
  })
}

/** Of all that one order can bring about, what costs most. */
export function worstNotional(read: ReadOrder, sizing: Sizing): Result<Notional, DenialReason> {
  let worst: Notional | undefined
  for (const part of read.parts) {
    const notional = partNotional(read, part, sizing)
    if (!notional.ok) return notional
    if (worst === undefined || isMore(notional.value, worst)) worst = notional.value
  }
  return worst === undefined ? err("size_unreadable") : ok(worst)
}

function isMore(a: Notional, b: Notional): boolean {
  return compareDecimals(a.amount, b.amount) > 0
}
