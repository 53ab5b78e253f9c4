import {
  addDecimals,
  compareDecimals,
  type Decimal,
  maxDecimal,
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

/** What of a signed request can enlarge positions. */
export type SignedOpeners = {
  readonly record: string
  /** The last moment at which the venue takes it, by the venue's clock. Whole milliseconds. */
  readonly expiresAfterMs: number
  readonly openers: readonly Opener[]
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
const skewMs = { told: 2_000, untold: 10_000 } as const

/** Bounds memory, and what a reading costs. */
export const maxInFlight = 10_000

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

export type Exposure = ReturnType<typeof openExposure>

/** Starts without a reading and with nothing in flight. `lagMs`: the longest that the venue takes to show what it did. */
export function openExposure({ lagMs }: { readonly lagMs: number }) {
  let inForce: InForce | undefined
  const unsettled = new Map<string, SignedOpeners>()
  let inFlight = countOpeners([])
  let unknownUntilMs = -Infinity
  let isContradicted = false
  return {
    /** Something may be signed that isn't known here, and be taken until then: no reading that covers less is of use. */
    distrust(untilMs: number): void {
      unknownUntilMs = Math.max(unknownUntilMs, untilMs)
    },
    /** Counts a signed request until a reading covers it. One that is counted or covered already changes nothing. */
    took(signed: SignedOpeners): void {
      const { record, expiresAfterMs, openers } = signed
      if (openers.length === 0 || unsettled.has(record)) return
      if (inForce !== undefined && expiresAfterMs <= inForce.coveredMs) return
      unsettled.set(record, signed)
      for (const opener of openers) addOpener(inFlight, opener)
    },
    /**
     * Puts a reading in force and lets go of what it covers. Answers `false`, and changes nothing, where the one in
     * force was asked for later or covers more: what that one let go of, this one needn't show; or where it is distrusted.
     */
    read(reading: Reading): boolean {
      const next = takeIn(reading, lagMs)
      if (next.coveredMs < unknownUntilMs) return false
      if (inForce !== undefined && isOlder(next, inForce)) return false
      isContradicted ||= isBeyond(reading, inForce && worstOf(inForce, inFlight, countOpeners([])))
      inForce = next
      for (const [record, { expiresAfterMs }] of unsettled) {
        if (expiresAfterMs <= next.coveredMs) unsettled.delete(record)
      }
      inFlight = countOpeners(unsettled.values().flatMap(({ openers }) => openers))
      return true
    },
    /** What the account may come to if `asked` is signed too; without a reading, or beyond `maxInFlight`, only that. */
    worst(asked: readonly Opener[]): Worst | "no_reading" | "in_flight" {
      if (unsettled.size >= maxInFlight) return "in_flight"
      if (inForce === undefined) return "no_reading"
      return worstOf(inForce, inFlight, countOpeners(asked))
    },
    /** Whether a reading ever showed more of a position than could be: others trade the account, or it is read wrongly. */
    isContradicted: (): boolean => isContradicted,
    /** The reading in force. */
    reading: (): Reading | undefined => inForce?.reading,
    /** How many requests count in full beside it. */
    inFlight: (): number => unsettled.size,
  }
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

type Quantities = Map<number, Readonly<Record<Side, Decimal>>>

type InForce = {
  readonly reading: Reading
  /** It covers what the venue took no later than this, by the venue's clock. */
  readonly coveredMs: number
  readonly quantities: Quantities
  readonly orders: number
  readonly notional: (referencePrice: ReferencePrice) => Decimal | undefined
}

type OpenerSums = {
  readonly quantities: Quantities
  orders: number
  notional: Decimal | null
  cost: Decimal | null
}

function takeIn(reading: Reading, lagMs: number): InForce {
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

function isOlder(one: InForce, other: InForce): boolean {
  return one.reading.askedAtMs < other.reading.askedAtMs || one.coveredMs < other.coveredMs
}

function isBeyond({ positions }: Reading, known: Worst | undefined): boolean {
  return positions.some(({ symbolId, side, quantity }) => {
    const parts = known?.position(symbolId, side)
    return parts && compareDecimals(quantity, addDecimals(parts.measured, parts.inFlight)) > 0
  })
}

function isOpener<Order extends { readonly side: Side | "neither" }>(
  order: Order,
): order is Order & { readonly side: Side } {
  return order.side !== "neither"
}

function countOpeners(openers: Iterable<Opener>): OpenerSums {
  const sums: OpenerSums = { quantities: new Map(), orders: 0, notional: zero, cost: zero }
  for (const opener of openers) addOpener(sums, opener)
  return sums
}

function addOpener(sums: OpenerSums, opener: Opener): void {
  addQuantity(sums.quantities, opener)
  sums.orders += 1
  sums.notional = addKnown(sums.notional, opener.notional)
  sums.cost = addKnown(sums.cost, opener.cost)
}

function addKnown(sum: Decimal | null, part: Decimal | null): Decimal | null {
  return sum === null || part === null ? null : addDecimals(sum, part)
}

function addQuantity(
  quantities: Quantities,
  { symbolId, side, quantity }: Pick<Opener, "symbolId" | "side" | "quantity">,
): void {
  const sides = quantities.get(symbolId) ?? { long: zero, short: zero }
  quantities.set(symbolId, { ...sides, [side]: addDecimals(sides[side], quantity) })
}

function worstOf(inForce: InForce, inFlight: OpenerSums, asked: OpenerSums): Worst {
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
