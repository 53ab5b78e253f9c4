import {
  addDecimals,
  atSameScale,
  compareDecimals,
  multiplyDecimals,
  one,
  type Decimal,
} from "../../venue/decimal.ts"
import type { FileSet } from "../config/load-files.ts"
import type { Standing } from "../ledger/bindings.ts"
import type { Price, PriceDrift } from "../ledger/records/prices.ts"
import type { LedgerTime } from "../process/clock.ts"

/** A price for a symbol, and when it came. */
type NewPrice = Pick<Price, "symbolId" | "value" | "by"> & { readonly now: LedgerTime }

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

/** The number 1 in fixed point with 18 decimals, the form of logarithms here. */
export const unit = 10n ** 18n

/** Extra digits for computing; results don't have them. */
const spare = 10n ** 6n
const scale = unit * spare

/** |ln(a/b)| of whole numbers above zero, in two bounds 2 units of the last decimal apart: the exact value is irrational. */
export function logOfRatio(a: bigint, b: bigint) {
  if (a === b) return { atLeast: 0n, atMost: 0n }
  const [more, less] = a > b ? [a, b] : [b, a]
  // Every step below rounds down, by less than 10^-19 in all.
  const atLeast = naturalLog(more, less) / spare
  return { atLeast, atMost: atLeast + 2n }
}

/** ln(more/less) = k ln 2 + ln(y), where 1 ≤ y < 2. */
function naturalLog(more: bigint, less: bigint): bigint {
  let divisor = less
  let halvings = 0n
  for (; more >= 2n * divisor; halvings += 1n) divisor *= 2n
  return halvings * ln2 + logNearOne(more, divisor)
}

/** ln(a/b) = 2 artanh z = 2 (z + z³/3 + z⁵/5 + …) with z = (a − b) / (a + b), at most a third here. */
function logNearOne(a: bigint, b: bigint): bigint {
  const z = ((a - b) * scale) / (a + b)
  const square = (z * z) / scale
  let sum = 0n
  for (let power = z, n = 1n; power > 0n; power = (power * square) / scale, n += 2n) {
    sum += power / n
  }
  return 2n * sum
}

const ln2 = logNearOne(2n, 1n)
