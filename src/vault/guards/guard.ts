import {
  addDecimals,
  compareDecimals,
  type Decimal,
  multiplyDecimals,
  one,
  subtractDecimals,
  wholeDecimal,
  zero,
} from "../../venue/decimal.ts"
import type { Guard, PositionMax } from "../policy/terms.ts"
import type { Exposure, Opener, Parts, Worst } from "./exposure.ts"
import type { ReferencePrice } from "./open-notional.ts"

/** What is asked of a guard: all orders of a request that can enlarge a position, since they pass together or not at all. */
export type GuardAsk = {
  readonly openers: readonly Opener[]
  readonly referencePrice: ReferencePrice
}

/** A bound that would be passed, and by what. Units are the bound's. */
export type Excess = Parts & {
  readonly kind: "max_position" | "max_open_orders" | "max_open_notional"
  /** What of the position is bounded; only of `max_position`, as `symbolId`. */
  readonly measure?: PositionMax["kind"]
  readonly symbolId?: number
  readonly max: Decimal
  /** With what is asked. */
  readonly worst: Decimal
  /** What is left of the bound without it. */
  readonly room: Decimal
}

/** Why a guard can't tell, and so refuses. */
export type Unjudged =
  | { readonly kind: "no_reading" }
  | { readonly kind: "in_flight" }
  | { readonly kind: "unknown_price"; readonly of: "max_position"; readonly symbolId: number }
  | { readonly kind: "unknown_price"; readonly of: "max_open_notional" }

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
  return (
    overPosition(guard, worst, ask) ?? overOrders(guard, worst) ?? overNotional(guard, worst, ask)
  )
}

const positionMax = ({ maxPosition }: Guard, symbolId: number): PositionMax | undefined =>
  maxPosition?.bySymbol.get(symbolId) ?? maxPosition?.default

function isBounded(guard: Guard, openers: readonly Opener[]): boolean {
  return (
    guard.maxOpenOrders !== undefined ||
    guard.maxOpenNotional !== undefined ||
    openers.some(({ symbolId }) => positionMax(guard, symbolId) !== undefined)
  )
}

function overPosition(guard: Guard, worst: Worst, { openers, referencePrice }: GuardAsk) {
  for (const opener of openers) {
    const { symbolId } = opener
    const bound = positionMax(guard, symbolId)
    if (bound === undefined) continue
    const unit = bound.kind === "notional" ? referencePrice(symbolId) : one
    if (unit === undefined) return { kind: "unknown_price", of: "max_position", symbolId } as const
    const parts = eachPart(positionOf(worst, bound, opener), (part) => multiplyDecimals(part, unit))
    const over = excess(parts, bound.max)
    if (over !== undefined) {
      return { kind: "max_position", measure: bound.kind, symbolId, ...over } as const
    }
  }
  return undefined
}

function positionOf(worst: Worst, { kind }: PositionMax, { symbolId, side }: Opener): Parts {
  if (kind !== "gross") return worst.position(symbolId, side)
  const short = worst.position(symbolId, "short")
  return eachPart(worst.position(symbolId, "long"), (long, name) => addDecimals(long, short[name]))
}

function overOrders({ maxOpenOrders }: Guard, { openOrders }: Worst) {
  if (maxOpenOrders === undefined) return undefined
  const over = excess(openOrders, wholeDecimal(BigInt(maxOpenOrders)))
  return over && ({ kind: "max_open_orders", ...over } as const)
}

function overNotional({ maxOpenNotional }: Guard, worst: Worst, { referencePrice }: GuardAsk) {
  if (maxOpenNotional === undefined) return undefined
  const parts = worst.openNotional(referencePrice)
  if (parts === undefined) return { kind: "unknown_price", of: "max_open_notional" } as const
  const over = excess(parts, maxOpenNotional)
  return over && ({ kind: "max_open_notional", ...over } as const)
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
  const before = addDecimals(parts.measured, parts.inFlight)
  const worst = addDecimals(before, parts.asked)
  if (compareDecimals(worst, max) <= 0) return undefined
  const room = compareDecimals(before, max) < 0 ? subtractDecimals(max, before) : zero
  return { ...parts, max, worst, room }
}
