import type { Result } from "../../std/result.ts"
import { addDecimals, compareDecimals, formatDecimal, type Decimal } from "../../venue/decimal.ts"
import type { Mismatch } from "./decision.ts"
import type { ReadOrder } from "./judged-order.ts"
import type { SizeBound } from "./policy.ts"
import type { Subject } from "./subject.ts"

/** What one order adds to what its rule bounds. Amounts of one `group` are summed. */
export type BoundedAmount = {
  readonly group: string
  readonly unit: string
  readonly amount: Decimal
  readonly max: Decimal
}

/** What `bound` says of a symbol; `undefined` when it has no amount for it. */
export function boundFor(bound: SizeBound, symbolId: number): Decimal | undefined {
  if (bound.kind === "scalar") return bound.amount
  return bound.amountBySymbol.get(symbolId) ?? bound.defaultAmount
}

/**
 * What is wrong with the first order whose amount is refused; else with the first group whose sum is over its
 * maximum, so that a batch can't carry in parts what it can't at once.
 */
export function overMax(
  reason: "quantity_over_max" | "notional_over_max",
  { orders = [] }: Subject,
  amountOf: (read: ReadOrder) => Result<BoundedAmount | undefined, Mismatch>,
): Mismatch | undefined {
  const amounts: BoundedAmount[] = []
  for (const read of orders) {
    const amount = amountOf(read)
    if (!amount.ok) return amount.error
    if (amount.value !== undefined) amounts.push(amount.value)
  }
  const over = summed(amounts).find((sum) => compareDecimals(sum.amount, sum.max) > 0)
  return (
    over && {
      reason,
      asked: () => `${formatDecimal(over.amount)} ${over.unit} (${over.count} orders together)`,
      allowed: () => formatDecimal(over.max),
    }
  )
}

type Sum = BoundedAmount & { readonly count: number }

function summed(amounts: readonly BoundedAmount[]): readonly Sum[] {
  const sums = new Map<string, Sum>()
  for (const next of amounts) {
    const sum = sums.get(next.group)
    const amount = sum === undefined ? next.amount : addDecimals(sum.amount, next.amount)
    sums.set(next.group, { ...next, amount, count: (sum?.count ?? 0) + 1 })
  }
  return [...sums.values()]
}
