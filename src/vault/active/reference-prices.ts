import type { LedgerTime } from "../ledger/ledger-time.ts"
import {
  addDecimals,
  compareDecimals,
  multiplyDecimals,
  one,
  type Decimal,
} from "../../venue/decimal.ts"
import type { ReferencePrice } from "../../venue/profile.ts"
import type { FileSet } from "../config/file-set.ts"
import type { StoredPrice } from "../ledger/records/admin-entry.ts"
import { operatorName } from "../ledger/records/bindings.ts"
import type { Standing, FedPrices } from "./standing.ts"

/** How long an operator's price is good: as long as one in venue.yaml that doesn't say. */
const operatorMaxAgeMs = 3_600_000

/** The prices after one more; in the order in which they came. */
export function withPrice(prices: FedPrices, price: StoredPrice): FedPrices {
  return new Map(prices).set(price.symbolId, price)
}

/**
 * Whether a price may be used without a person's word. An operator's is that word. A client's must lie
 * within `max_step` of the last known one, up or down, inclusive: a larger step could be a broken feed, or
 * one that was taken over. It makes the price unknown, and so it stays until an operator sets one.
 */
export function isConfirmed(
  next: { readonly symbolId: number; readonly value: Decimal; readonly by: string },
  { profile, config, prices }: FileSet & Standing,
): boolean {
  if (next.by === operatorName) return true
  const fed = prices.get(next.symbolId)
  if (fed?.confirmed === false) return false
  const last = latest(fed, profile.symbols.byId.get(next.symbolId)?.referencePrice)
  return last === undefined || isWithinStep(next.value, last.value, config.prices.maxStep)
}

/** A price with the times between which it is good. */
export type DatedPrice = {
  readonly value: Decimal
  readonly asOfMs: number
  readonly maxAgeMs: number
  readonly by: string
}

/** The reference price of a symbol at `nowMs`: the latest of those that are known and fresh. */
export function referencePrice(
  symbolId: number,
  set: FileSet & Standing,
  nowMs: LedgerTime,
): Decimal | undefined {
  if (set.prices.get(symbolId)?.confirmed === false) return undefined
  const fresh = datedPrices(symbolId, set).filter((price) => isFresh(price, nowMs))
  return fresh.toSorted((a, b) => b.asOfMs - a.asOfMs)[0]?.value
}

/** Every price that a symbol has, the profile's and the fed one, however old. */
export function datedPrices(
  symbolId: number,
  { profile, config, prices }: FileSet & Standing,
): readonly DatedPrice[] {
  const written = profile.symbols.byId.get(symbolId)?.referencePrice
  const fed = prices.get(symbolId)
  const maxAgeMs = fed?.by === operatorName ? operatorMaxAgeMs : config.prices.maxAgeMs
  return [
    ...(written === undefined ? [] : [{ ...written, by: "profile" }]),
    ...(fed === undefined ? [] : [{ ...fed, maxAgeMs }]),
  ]
}

/** A price from the future is as good as an old one: else a clock set back, or a wrong year, would keep it for ever. */
export function isFresh(
  { asOfMs, maxAgeMs }: DatedPrice | ReferencePrice,
  nowMs: LedgerTime,
): boolean {
  return Math.abs(nowMs - asOfMs) <= maxAgeMs
}

function latest(
  fed: StoredPrice | undefined,
  written: ReferencePrice | undefined,
): { readonly value: Decimal } | undefined {
  if (fed === undefined || written === undefined) return fed ?? written
  return fed.asOfMs >= written.asOfMs ? fed : written
}

/** Within `last / (1 + step)` and `last × (1 + step)`: as far down as the way back up would be. */
function isWithinStep(next: Decimal, last: Decimal, maxStep: Decimal): boolean {
  const factor = addDecimals(one, maxStep)
  const isTooHigh = compareDecimals(next, multiplyDecimals(last, factor)) > 0
  const isTooLow = compareDecimals(multiplyDecimals(next, factor), last) < 0
  return !isTooHigh && !isTooLow
}
