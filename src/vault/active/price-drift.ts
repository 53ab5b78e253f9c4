import {
  addDecimals,
  atSameScale,
  compareDecimals,
  multiplyDecimals,
  one,
  type Decimal,
} from "../../venue/decimal.ts"
import type { FileSet } from "../config/file-set.ts"
import type { Standing } from "../ledger/bindings.ts"
import type { Price, PriceDrift } from "../ledger/records/prices.ts"
import type { LedgerTime } from "../process/clock.ts"
import { logOfRatio } from "./natural-log.ts"

/** A price for a symbol, and when it came. */
export type NewPrice = Pick<Price, "symbolId" | "value" | "by"> & { readonly now: LedgerTime }

type Bounds = FileSet["config"]["prices"]

/** A price from a person. It is the anchor of later fed prices. */
export function anchored({ now, ...price }: NewPrice, { maxStep }: Bounds): Price {
  const anchor = { value: price.value, atMs: now }
  return { ...price, asOfMs: now, confirmed: true, drift: { anchor, allowance: stepOf(maxStep) } }
}

/**
 * What a symbol's price is after a client fed one.
 *
 * A price may move by its allowance v. v starts from what the last accepted price left of it, grows by
 * ln(1 + max_drift_per_minute) per minute since then, and is at most ln(1 + max_step). A price that moves
 * further is held back: the last one stays in force while it is fresh, and v grows until a later one fits. A price
 * more than max_drift from the anchor, or without an anchor, waits for a person. Logarithms are rounded against
 * the feed.
 */
export function fed(next: NewPrice, set: FileSet & Standing): Price {
  const { symbolId, value, by, now } = next
  const bounds = set.config.prices
  const last = lastPrice(symbolId, set)
  const drift = last?.drift
  const waiting = { symbolId, value, by, asOfMs: now, confirmed: false }
  if (last === undefined || drift === undefined) return waiting
  const isWaiting = set.prices.get(symbolId)?.confirmed === false
  if (isWaiting || isBeyond(value, drift.anchor.value, bounds.maxDrift)) {
    return { ...waiting, drift: { anchor: drift.anchor, allowance: 0n } }
  }
  const allowance = allowanceAt(last, now, bounds)
  const move = logOfRatio(...atSameScale(value, last.value)).atMost
  if (move > allowance) return { ...last, drift: { ...drift, held: { value, by, atMs: now } } }
  const left = lesser(allowance - move, stepOf(bounds.maxStep))
  const { anchor } = drift
  return { symbolId, value, by, asOfMs: now, confirmed: true, drift: { anchor, allowance: left } }
}

/** The price that the next one is compared with: the fed one, or venue.yaml's if that is later and so its own anchor. */
export function lastPrice(symbolId: number, set: FileSet & Standing): Price | undefined {
  const stored = set.prices.get(symbolId)
  const written = set.profile.symbols.byId.get(symbolId)?.referencePrice
  if (written === undefined || (stored !== undefined && stored.asOfMs >= written.asOfMs)) {
    return stored
  }
  const { value, asOfMs } = written
  const drift: PriceDrift = {
    anchor: { value, atMs: asOfMs },
    allowance: stepOf(set.config.prices.maxStep),
  }
  return { symbolId, value, asOfMs, by: "profile", confirmed: true, drift }
}

/** Whether a price differs from its anchor by more than the factor 1 + `max`, up or down. */
export function isBeyond(value: Decimal, anchor: Decimal, max: Decimal): boolean {
  const factor = addDecimals(one, max)
  return (
    compareDecimals(value, multiplyDecimals(anchor, factor)) > 0 ||
    compareDecimals(multiplyDecimals(value, factor), anchor) < 0
  )
}

function allowanceAt(
  { drift, asOfMs }: Price,
  now: LedgerTime,
  { maxDriftPerMinute }: Bounds,
): bigint {
  const passedMs = BigInt(Math.max(0, now - asOfMs))
  return (drift?.allowance ?? 0n) + (stepOf(maxDriftPerMinute) * passedMs) / 60_000n
}

/** ln(1 + share), rounded down. */
function stepOf(share: Decimal): bigint {
  return logOfRatio(...atSameScale(addDecimals(one, share), one)).atLeast
}

function lesser(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
