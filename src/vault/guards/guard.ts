import {
  addDecimals,
  compareDecimals,
  type Decimal,
  excessOf,
  minDecimal,
  multiplyDecimals,
  wholeDecimal,
  zero,
} from "../../venue/decimal.ts"
import type { BySymbol, Guard, LossBound, PositionMax } from "../policy/guard-terms.ts"
import type { Opener, Parts, Side, Worst } from "./exposure.ts"
import type { MayFree } from "./freed.ts"
import { type Loss, lossParts } from "./loss.ts"
import type { Exposure } from "./open-exposure.ts"
import type { ReferencePrice } from "./open-notional.ts"

/** What is asked of a guard: all orders of a request that can enlarge a position, since they pass together or not at all. */
export type GuardAsk = {
  readonly openers: readonly Opener[]
  readonly referencePrice: ReferencePrice
  /** What the account has lost by the guard's own count; only where it bounds losses. */
  readonly loss: (() => Loss | LossUnknown) | undefined
}

/** Why a loss can't be told: never read, read too long ago, or read by lines of venue.yaml that have changed. */
export type LossUnknown = "no_equity" | "reading_old" | "equity_changed"

/** A bound that would be passed, and by what. Units are the bound's. */
export type Excess = Parts & {
  readonly kind: "max_position" | "max_open_orders" | "max_open_notional" | LossBound["kind"]
  /** What of the position is bounded; only of `max_position`, as `symbolId`. */
  readonly measure?: PositionMax["kind"]
  readonly symbolId?: number
  readonly max: Decimal
  /** With what is asked. */
  readonly worst: Decimal
  /** What is left of the bound without it. */
  readonly room: Decimal
  /** Base units that readings freed today, where that is more than `max_freed` lets them: the rest counts as measured. */
  readonly freed?: Decimal
  /** Only of a loss: from what it is counted, and what the account has. */
  readonly from?: Decimal
  readonly equity?: Decimal
}

/** Why a guard can't tell, and so refuses. */
export type Unjudged =
  | { readonly kind: "no_reading" }
  | { readonly kind: "in_flight" }
  | { readonly kind: LossUnknown }
  | ({ readonly kind: "unknown_price"; readonly of: Excess["kind"] } & Pick<Excess, "symbolId">)

/**
 * The first bound that a request would pass; `undefined` if it passes none, as one that has no openers. An order answers
 * for its own side alone: an account beyond its bound on one side may trade the other.
 */
export function judgeGuard(
  guard: Guard,
  exposure: Pick<Exposure, "worst">,
  ask: GuardAsk,
): Excess | Unjudged | undefined {
  if (ask.openers.length === 0) return undefined
  const worst = exposure.worst(ask.openers)
  if (worst === "in_flight") return { kind: worst }
  if (!isBounded(guard, ask.openers)) return undefined
  if (worst === "no_reading") return { kind: worst }
  return firstPassed(guard, worst, ask)
}

function firstPassed(guard: Guard, worst: Worst, ask: GuardAsk) {
  const { openers: sides, referencePrice } = ask
  const loss = ask.loss?.()
  if (typeof loss === "string") return { kind: loss }
  for (const { of, max, parts } of boundsOf(guard, { worst, sides, loss, referencePrice })) {
    if (parts === undefined || max === undefined) return unknownPrice(of)
    const over = excess(parts, max)
    if (over !== undefined) return { ...of, ...over }
  }
  return undefined
}

function unknownPrice({ kind: of, symbolId }: Bound["of"]): Unjudged {
  return { kind: "unknown_price", of, ...(symbolId !== undefined && { symbolId }) }
}

const positionMax = ({ maxPosition }: Guard, symbolId: number) => valueFor(maxPosition, symbolId)

/** What holds for a symbol. */
export function valueFor<Value>(
  all: BySymbol<Value> | undefined,
  symbolId: number,
): Value | undefined {
  return all?.bySymbol.get(symbolId) ?? all?.default
}

/** How much readings may free in a day where guards differ: the least that one says. */
export function leastFreed(guards: readonly Guard[]): MayFree {
  return (symbolId) =>
    guards
      .map(({ maxFreed }) => valueFor(maxFreed, symbolId))
      .reduce((one, other) => (one && other ? minDecimal(one, other) : (one ?? other)), undefined)
}

function isBounded(guard: Guard, openers: readonly Opener[]): boolean {
  return (
    guard.maxOpenOrders !== undefined ||
    guard.maxOpenNotional !== undefined ||
    guard.loss !== undefined ||
    openers.some(({ symbolId }) => positionMax(guard, symbolId) !== undefined)
  )
}

/** A side of a position. */
export type SideOf = Pick<Opener, "symbolId" | "side">

/** A bound of a guard, and what comes to it. */
type Bound = {
  readonly of: Pick<Excess, "kind" | "measure" | "symbolId" | "freed" | "from" | "equity">
  readonly side?: Side
  /** `undefined` where it is a share of what isn't known. */
  readonly max: Decimal | undefined
  /** `undefined` where they take a price that isn't known, or nothing is known. */
  readonly parts: Parts | undefined
}

type BoundsAsk = Pick<GuardAsk, "referencePrice"> & {
  readonly worst: Worst | undefined
  readonly loss: Loss | undefined
  readonly sides: readonly SideOf[]
}

/** The bounds on these sides of positions, then those on all open orders, then that on losses. */
export function* boundsOf(guard: Guard, ask: BoundsAsk): Generator<Bound> {
  yield* positionBounds(guard, ask)
  const { worst, referencePrice } = ask
  const { maxOpenOrders, maxOpenNotional: max, loss } = guard
  if (maxOpenOrders !== undefined) {
    const most = wholeDecimal(BigInt(maxOpenOrders))
    yield { of: { kind: "max_open_orders" }, max: most, parts: worst?.openOrders }
  }
  if (max !== undefined) {
    yield { of: { kind: "max_open_notional" }, max, parts: worst?.openNotional(referencePrice) }
  }
  if (loss !== undefined) yield lossBoundOf(loss, ask)
}

function* positionBounds(
  guard: Guard,
  { worst, sides, referencePrice }: BoundsAsk,
): Generator<Bound> {
  for (const { symbolId, side } of sides) {
    const bound = positionMax(guard, symbolId)
    if (bound === undefined) continue
    const { kind: measure, max } = bound
    const held = worst && heldBack(worst, valueFor(guard.maxFreed, symbolId))
    const parts = held && positionOf(held, bound, { symbolId, side, referencePrice })
    const of = { kind: "max_position", measure, symbolId } as const
    yield { of: { ...of, ...held?.freed(symbolId, side) }, side, max, parts }
  }
}

/** Counts what readings freed of a side beyond the most as if it were there still; and how much they did, if it is more. */
function heldBack(worst: Worst, most: Decimal | undefined) {
  const beyond = (symbolId: number, side: Side): Decimal =>
    most === undefined ? zero : excessOf(worst.freed(symbolId, side), most)
  return {
    position(symbolId: number, side: Side): Parts {
      const parts = worst.position(symbolId, side)
      return { ...parts, measured: addDecimals(parts.measured, beyond(symbolId, side)) }
    },
    freed: (symbolId: number, side: Side) =>
      beyond(symbolId, side).coefficient > 0n ? { freed: worst.freed(symbolId, side) } : {},
  }
}

function lossBoundOf(
  { kind, shock }: LossBound,
  { worst, loss, referencePrice }: BoundsAsk,
): Bound {
  if (worst === undefined || loss === undefined) {
    return { of: { kind }, max: loss?.max, parts: undefined }
  }
  const { from, equity, max } = loss
  const parts = lossParts(loss, worst, { shock, referencePrice })
  return { of: { kind, from: from.at, equity }, max, parts }
}

/** In the bound's unit. */
function positionOf(
  worst: Pick<Worst, "position">,
  { kind }: PositionMax,
  { symbolId, side, referencePrice }: SideOf & Pick<GuardAsk, "referencePrice">,
): Parts | undefined {
  const own = worst.position(symbolId, side)
  if (kind === "net") return own
  if (kind === "notional") {
    const unit = referencePrice(symbolId)
    return unit && eachPart(own, (part) => multiplyDecimals(part, unit))
  }
  const short = worst.position(symbolId, "short")
  return eachPart(worst.position(symbolId, "long"), (long, name) => addDecimals(long, short[name]))
}

function eachPart(
  { measured, inFlight, asked }: Parts,
  make: (part: Decimal, name: keyof Parts) => Decimal,
): Parts {
  return {
    measured: make(measured, "measured"),
    inFlight: make(inFlight, "inFlight"),
    asked: make(asked, "asked"),
  }
}

/** `undefined` where the sum of the parts is at most the maximum. */
function excess(parts: Parts, max: Decimal): Omit<Excess, "kind"> | undefined {
  const worst = addDecimals(addDecimals(parts.measured, parts.inFlight), parts.asked)
  if (compareDecimals(worst, max) <= 0) return undefined
  return { ...parts, max, worst, room: roomOf(parts, max) }
}

/** What is left of a bound without what is asked. */
export function roomOf({ measured, inFlight }: Parts, max: Decimal): Decimal {
  return excessOf(max, addDecimals(measured, inFlight))
}
