import type { Decimal } from "../../venue/decimal.ts"
import type { ReferencePrice } from "../../venue/profile.ts"
import type { FileSet } from "../config/file-set.ts"
import type { Standing } from "../ledger/bindings.ts"
import { operatorName } from "../ledger/records/bindings.ts"
import type { LedgerTime } from "../process/clock.ts"

/** How long a price from an operator is fresh: the default of prices in venue.yaml. */
const operatorMaxAgeMs = 3_600_000

/** A price, and from when to when it is fresh. */
export type DatedPrice = {
  readonly value: Decimal
  readonly asOfMs: number
  readonly maxAgeMs: number
  readonly by: string
}

/** The reference price of a symbol at `nowMs`: the latest one that is fresh. */
export function referencePrice(
  symbolId: number,
  set: FileSet & Standing,
  nowMs: LedgerTime,
): Decimal | undefined {
  if (set.prices.get(symbolId)?.confirmed === false) return undefined
  const fresh = datedPrices(symbolId, set).filter((price) => isFresh(price, nowMs))
  return fresh.toSorted((a, b) => b.asOfMs - a.asOfMs)[0]?.value
}

/** Every price of a symbol, from the profile and from a feed, however old. */
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

/** A price from the future counts as just as old. If not, a wrong clock or a wrong year would keep it fresh for ever. */
export function isFresh(
  { asOfMs, maxAgeMs }: DatedPrice | ReferencePrice,
  nowMs: LedgerTime,
): boolean {
  return Math.abs(nowMs - asOfMs) <= maxAgeMs
}

/** The later price that is held back, if any. A request must pass with both prices. */
export function heldPrice(symbolId: number, { prices }: Standing): Decimal | undefined {
  return prices.get(symbolId)?.drift?.held?.value
}
