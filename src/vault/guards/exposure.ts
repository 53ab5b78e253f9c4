import {
  addDecimals,
  type Decimal,
  maxDecimal,
  sumDecimals,
  wholeDecimal,
  zero,
} from "../../venue/decimal.ts"
import { openNotionalOf, type PricedOrder, type ReferencePrice } from "./open-notional.ts"

/*
 * How far an account can come, by what its venue showed last and what was signed besides. A long position comes to
 *
 *   max(P, 0) + B + b
 *
 * at most, and a short one likewise: P is the position shown, B the rests of the open orders shown that enlarge it, b all
 * in flight on that side. For each order is counted at least once. A reading covers a signature if even the oldest
 * order list that it can have is from after the last moment at which the venue took that order. Then the list shows its
 * rest, and the positions, which are of no earlier moment than the list, show what filled before. What isn't
 * covered counts in full, shown or not. From P on, buys raise the position by B + b at most; what only reduces, as
 * reduce-only orders and liquidations do, raises it no further than to zero, hence max(P, 0).
 *
 * This needs no later reading, no outcome and no cancel to be true. They could only give room back, and of
 * them a reading alone does: the others are the word of who carries them.
 */

/** Which way a position lies or grows. One that is one-way grows long by buying and short by selling. */
export type Side = "long" | "short"

export type PositionMode = "one_way" | "hedge"

/** An order that can open or enlarge a position. */
export type Opener = {
  readonly symbolId: number
  /** As {@link enlarges} says. */
  readonly side: Side
  /** Base units. */
  readonly quantity: Decimal
  /** Quote units at the worst price; `null` where no price is known. */
  readonly notional: Decimal | null
  /** Quote units that it may lose at once against the reference price; `null` where that isn't known. */
  readonly cost: Decimal | null
}

/** What a venue showed of an account: first all its open orders, then, at least `lagMs` later, its positions. */
export type Reading = {
  /** The ledger's time before it began. Whole milliseconds. */
  readonly askedAtMs: number
  /**
   * The venue's own time when it was asked for its order lists, the earliest of them: the `Date` of the answer less
   * how long that took. Whole milliseconds; `undefined` where an answer had none.
   */
  readonly venueAtMs: number | undefined
  readonly orders: readonly (PricedOrder & { readonly side: Side | "neither" })[]
  /** Base units; one that is one-way lies on one of its sides. */
  readonly positions: readonly Pick<Opener, "symbolId" | "side" | "quantity">[]
  /** What the account is worth, zero where that is less; `undefined` where venue.yaml doesn't say where it is. */
  readonly equity: Decimal | undefined
}

/** One sum by where it is from. */
export type Parts = {
  /** By the reading in force. */
  readonly measured: Decimal
  /** Signed, and not covered by it. */
  readonly inFlight: Decimal
  readonly asked: Decimal
}

/** What an account may come to. To be read in the turn that it was asked for in. */
export type Worst = {
  /** Base units that one side of a symbol may come to. */
  readonly position: (symbolId: number, side: Side) => Parts
  /** Base units that readings freed of that side since the day began, by UTC. */
  readonly freed: (symbolId: number, side: Side) => Decimal
  /** How many orders that can enlarge a position may be open, of all symbols. */
  readonly openOrders: Parts
  /** Quote units of the same; `undefined` where the price of one isn't known. */
  readonly openNotional: (referencePrice: ReferencePrice) => Parts | undefined
  /** Quote units that what isn't shown yet may lose at once; `undefined` where that of an order isn't known. */
  readonly costs: Omit<Parts, "measured"> | undefined
  /** Of which it has a position or an order: shown, in flight or asked. */
  readonly symbols: () => readonly number[]
}

/** How far the ledger's clock may be ahead of the venue's, where the reading tells the venue's time and where not. */
export const skewMs = { told: 2_000, untold: 10_000 } as const

/**
 * Which side an order enlarges, and `neither` where it only reduces. `undefined` where that can't be told: an order of an
 * account in hedge mode that names no side. It can't be counted, so it is to be refused, and a reading that has one too.
 */
export function enlarges(
  mode: PositionMode,
  order: {
    readonly isBuy: boolean
    readonly positionSide: Side | "both" | undefined
    readonly reduceOnly: boolean
  },
): Side | "neither" | undefined {
  if (order.reduceOnly) return "neither"
  const bought = order.isBuy ? "long" : "short"
  if (mode === "one_way") return bought
  if (order.positionSide === undefined || order.positionSide === "both") return undefined
  return order.positionSide === bought ? bought : "neither"
}

/** Base units of a symbol that an account may hold on its larger side: by now, and with what is asked. */
export function mayHold(
  worst: Worst,
  symbolId: number,
): { readonly now: Decimal; readonly then: Decimal } {
  const sides = [worst.position(symbolId, "long"), worst.position(symbolId, "short")]
  const held = sides.map(({ measured, inFlight }) => addDecimals(measured, inFlight))
  const asked = sides.map((side, index) => addDecimals(held[index] ?? zero, side.asked))
  return { now: maxDecimal(zero, ...held), then: maxDecimal(zero, ...asked) }
}

/** Base units of a symbol on each side. */
export type Quantities = Map<number, Readonly<Record<Side, Decimal>>>

/** What a reading shows, as it is counted. */
export type InForce = {
  readonly reading: Reading
  /** It covers what the venue took no later than this, by the venue's clock. */
  readonly coveredMs: number
  readonly quantities: Quantities
  readonly orders: number
  readonly notional: (referencePrice: ReferencePrice) => Decimal | undefined
}

/** What openers come to. */
export type OpenerSums = {
  readonly quantities: Quantities
  orders: number
  notional: Decimal | null
  cost: Decimal | null
}

/** Counts what a reading shows. `lagMs`: the longest that the venue takes to show what it did. */
export function takeIn(reading: Reading, lagMs: number): InForce {
  const orders = reading.orders.filter(isOpener)
  const quantities: Quantities = new Map()
  for (const position of reading.positions) addQuantity(quantities, position)
  for (const { remaining, ...order } of orders) {
    addQuantity(quantities, { ...order, quantity: remaining })
  }
  return {
    ...{ reading, quantities, coveredMs: coveredBy(reading, lagMs) },
    orders: orders.length,
    notional: openNotionalOf(orders),
  }
}

function coveredBy({ askedAtMs, venueAtMs }: Reading, lagMs: number): number {
  if (venueAtMs === undefined) return askedAtMs - lagMs - skewMs.untold
  // Both, since a clock that is far ahead shows in the venue's time alone.
  return Math.min(askedAtMs - lagMs - skewMs.told, venueAtMs - lagMs - 1)
}

/** Whether one was asked for before another, or covers less. */
export function isOlder(one: InForce, other: InForce): boolean {
  return one.reading.askedAtMs < other.reading.askedAtMs || one.coveredMs < other.coveredMs
}

function isOpener<Order extends { readonly side: Side | "neither" }>(
  order: Order,
): order is Order & { readonly side: Side } {
  return order.side !== "neither"
}

/** What these come to. */
export function countOpeners(openers: Iterable<Opener>): OpenerSums {
  const sums: OpenerSums = { quantities: new Map(), orders: 0, notional: zero, cost: zero }
  for (const opener of openers) addOpener(sums, opener)
  return sums
}

/** Adds one to them. */
export function addOpener(sums: OpenerSums, opener: Opener): void {
  addQuantity(sums.quantities, opener)
  sums.orders += 1
  sums.notional = sumDecimals([sums.notional, opener.notional])
  sums.cost = sumDecimals([sums.cost, opener.cost])
}

/** Adds a quantity to its side. */
export function addQuantity(
  quantities: Quantities,
  { symbolId, side, quantity }: Pick<Opener, "symbolId" | "side" | "quantity">,
): void {
  const sides = quantities.get(symbolId) ?? { long: zero, short: zero }
  quantities.set(symbolId, { ...sides, [side]: addDecimals(sides[side], quantity) })
}

/** What an account may come to by what is known of it, what is signed and what is asked. */
export function worstOf(
  inForce: InForce,
  inFlight: OpenerSums,
  asked: OpenerSums,
): Omit<Worst, "freed"> {
  return {
    position(symbolId, side) {
      const of = ({ quantities }: { readonly quantities: Quantities }) =>
        quantities.get(symbolId)?.[side] ?? zero
      return { measured: of(inForce), inFlight: of(inFlight), asked: of(asked) }
    },
    openOrders: {
      measured: count(inForce),
      inFlight: count(inFlight),
      asked: count(asked),
    },
    openNotional(referencePrice) {
      const measured = inForce.notional(referencePrice)
      if (measured === undefined || inFlight.notional === null || asked.notional === null) {
        return undefined
      }
      return { measured, inFlight: inFlight.notional, asked: asked.notional }
    },
    costs:
      inFlight.cost === null || asked.cost === null
        ? undefined
        : { inFlight: inFlight.cost, asked: asked.cost },
    symbols: () => [
      ...new Set([inForce, inFlight, asked].flatMap(({ quantities }) => [...quantities.keys()])),
    ],
  }
}

const count = ({ orders }: { readonly orders: number }): Decimal => wholeDecimal(BigInt(orders))
