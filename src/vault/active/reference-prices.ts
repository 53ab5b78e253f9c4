import type { Decimal } from "../../venue/decimal.ts"
import type { ReferencePrice } from "../../venue/profile.ts"
import type { FileSet } from "../config/file-set.ts"
import type { Standing } from "../ledger/bindings.ts"
import { operatorName } from "../ledger/records/bindings.ts"
import type { LedgerTime } from "../process/clock.ts"

/** How long an operator's price is good: as long as one in venue.yaml that doesn't say. */
const operatorMaxAgeMs = 3_600_000

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

/** The price that was fed since and is held back, while the one in force is. What is judged must hold by both. */
export function heldPrice(symbolId: number, { prices }: Standing): Decimal | undefined {
  return prices.get(symbolId)?.drift?.held?.value
}
