import type { Position } from "../state/market-state.ts"
// Exact arithmetic on positions, in the units of state/market.ts.

const one = 10n ** 40n

/** Prices and quantities of a market have at most so many digits behind the point: all products are exact then. */
export const marketDigits = 12

/** Nothing held. */
export const flat: Position = { quantity: 0n, cost: 0n }

/** `left` × `right`, exact while both have at most 20 digits behind the point. */
export function product(left: bigint, right: bigint): bigint {
  return (left * right) / one
}

/** `units` × `numerator` / `denominator`. */
export function shareOf(units: bigint, numerator: bigint, denominator: bigint): bigint {
  return (units * numerator) / denominator
}

/** Without its sign. */
export function size(units: bigint): bigint {
  return units < 0n ? -units : units
}

/** The smaller of two. */
export function least(left: bigint, right: bigint): bigint {
  return left < right ? left : right
}

/**
 * A position after `quantity` (below zero for a sale) was traded at `price`, and the profit that this made real. What
 * closes a part of it releases that part of its cost; what division leaves over stays in the cost, so that nothing is lost.
 */
export function afterFill(
  position: Position,
  { quantity, price }: { readonly quantity: bigint; readonly price: bigint },
): { readonly position: Position; readonly realised: bigint } {
  const held = size(position.quantity)
  const closes = held !== 0n && position.quantity > 0n !== quantity > 0n
  const closed = closes ? least(size(quantity), held) : 0n
  const closing = quantity < 0n ? -closed : closed
  const released = held === 0n ? 0n : shareOf(position.cost, closed, held)
  return {
    realised: -product(closing, price) - released,
    position: {
      quantity: position.quantity + quantity,
      cost: position.cost - released + product(quantity - closing, price),
    },
  }
}

/** What it would gain if it were closed at `price`. */
export function unrealised({ quantity, cost }: Position, price: bigint): bigint {
  return product(quantity, price) - cost
}

/** What was paid for each, cut off after `marketDigits` digits; 0 where nothing is held. */
export function entryPrice({ quantity, cost }: Position): bigint {
  if (quantity === 0n) return 0n
  const fine = 10n ** BigInt(40 - marketDigits)
  return ((cost * one) / quantity / fine) * fine
}
