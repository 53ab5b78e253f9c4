import { addDecimals, compareDecimals, maxDecimal, zero } from "../../venue/decimal.ts"
import {
  countOpeners,
  type InForce,
  type OpenerSums,
  type Quantities,
  type Reading,
  worstOf,
} from "./exposure.ts"

/*
 * A reading that shows more of a position than could be is a contradiction: somebody else trades the account, or it is wrong.
 * If it is right, the figures before were too low; if it is wrong, they may hold. So of each figure the larger counts,
 * and nothing that is in flight is let go of. That lasts until a reading is possible from the one before it: then one
 * history explains both, as of what was shown once by mistake none does.
 */

/** The last reading that showed more than could be. */
export type Contradiction = {
  /** The ledger's time before it began. */
  readonly askedAtMs: number
  /** No reading has agreed with it yet, so nothing is freed. */
  readonly isOpen: boolean
}

/** What readings say by now. */
export type Known = InForce & {
  readonly contradiction: Contradiction | undefined
  /** The reading that nothing agrees with yet, and what orders came to by the last before that wasn't doubted. */
  readonly doubted: { readonly last: InForce; readonly notional: InForce["notional"] } | undefined
}

/** What is known with the next reading. `inFlight`: besides what was known before. */
export function knownBy(next: InForce, before: Known | undefined, inFlight: OpenerSums): Known {
  if (before === undefined) return { ...next, doubted: undefined, contradiction: undefined }
  const { doubted, contradiction } = before
  const { last, notional } = doubted ?? { last: before, notional: before.notional }
  if (!isBeyond(next.reading, last, inFlight)) {
    const closed = contradiction && { ...contradiction, isOpen: false }
    return { ...next, doubted: undefined, contradiction: closed }
  }
  return {
    ...worseOf({ ...before, notional }, next),
    doubted: { last: next, notional },
    contradiction: { askedAtMs: next.reading.askedAtMs, isOpen: true },
  }
}

function isBeyond({ positions }: Reading, last: InForce, inFlight: OpenerSums): boolean {
  const { position } = worstOf(last, inFlight, countOpeners([]))
  return positions.some(({ symbolId, side, quantity }) => {
    const known = position(symbolId, side)
    return compareDecimals(quantity, addDecimals(known.measured, known.inFlight)) > 0
  })
}

/** The larger of each figure. It covers no more than the first, so that nothing is let go of. */
function worseOf({ coveredMs, ...one }: InForce, { reading, ...other }: InForce): InForce {
  const quantities: Quantities = new Map(one.quantities)
  for (const [symbolId, { long, short }] of other.quantities) {
    const known = one.quantities.get(symbolId) ?? { long: zero, short: zero }
    const sides = { long: maxDecimal(known.long, long), short: maxDecimal(known.short, short) }
    quantities.set(symbolId, sides)
  }
  return {
    ...{ reading, coveredMs, quantities, orders: Math.max(one.orders, other.orders) },
    notional(referencePrice) {
      const [first, second] = [one.notional(referencePrice), other.notional(referencePrice)]
      return first && second && maxDecimal(first, second)
    },
  }
}
