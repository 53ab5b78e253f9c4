import { addDecimals, compareDecimals, type Decimal } from "../../venue/decimal.ts"
import type { SizeBound } from "./policy.ts"

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

/** The first group whose sum is over its maximum, so that a batch can't carry in parts what it can't at once. */
export function sumOverMax(
  amounts: readonly BoundedAmount[],
): (BoundedAmount & { readonly count: number }) | undefined {
  const sums = new Map<string, BoundedAmount & { readonly count: number }>()
  for (const next of amounts) {
    const sum = sums.get(next.group)
    const amount = sum === undefined ? next.amount : addDecimals(sum.amount, next.amount)
    sums.set(next.group, { ...next, amount, count: (sum?.count ?? 0) + 1 })
  }
  return Array.from(sums.values()).find((sum) => compareDecimals(sum.amount, sum.max) > 0)
}
