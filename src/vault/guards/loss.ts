import {
  addDecimals,
  compareDecimals,
  type Decimal,
  excessOf,
  multiplyDecimals,
  subtractDecimals,
  zero,
} from "../../venue/decimal.ts"
import type { LossBound } from "../policy/guard-terms.ts"
import { hourMs, type Mark, type Marks } from "./equity.ts"
import { mayHold, type Parts, type Worst } from "./exposure.ts"
import type { ReferencePrice } from "./open-notional.ts"

/** What an account has lost. Quote units. */
export type Loss = {
  readonly measured: Decimal
  readonly equity: Decimal
  /** From what on it is counted. */
  readonly from: Mark
  /** What the bound comes to. */
  readonly max: Decimal
}

/** What a bound counts as lost when an account has `equity`; `undefined` where nothing of its day was read yet. */
export function lossBy(bound: LossBound, marks: Marks, equity: Decimal): Loss | undefined {
  const from = markOf(bound, marks)
  if (from === undefined) return undefined
  const { max } = bound
  return {
    measured: excessOf(from.at, equity),
    ...{ equity, from },
    max: max.kind === "amount" ? max.value : multiplyDecimals(from.of, max.value),
  }
}

function markOf(
  { kind, window }: LossBound,
  { high, days, hours, readAtMs }: Marks,
): Mark | undefined {
  if (window.kind === "day") return days.get(window.zone)
  if (kind === "drawdown") return high
  // They fall, so the first within the window is the highest.
  return hours.find(({ fromMs }) => fromMs + hourMs > readAtMs - window.lengthMs)
}

/**
 * What a loss may come to before the next reading shows it: by orders that fill at their worst, and by what prices do to
 * the position that there may be then. `undefined` where a price for it isn't known.
 */
export function lossParts(
  { measured }: Pick<Loss, "measured">,
  worst: Worst,
  { shock, referencePrice }: Pick<LossBound, "shock"> & { readonly referencePrice: ReferencePrice },
): Parts | undefined {
  const { costs } = worst
  let [before, after] = [zero, zero]
  for (const symbolId of worst.symbols()) {
    const unit = referencePrice(symbolId)
    if (unit === undefined) return undefined
    const [held, move] = [mayHold(worst, symbolId), multiplyDecimals(unit, shock)]
    before = addDecimals(before, multiplyDecimals(held.now, move))
    after = addDecimals(after, multiplyDecimals(held.then, move))
  }
  return (
    costs && {
      measured,
      inFlight: addDecimals(costs.inFlight, before),
      asked: addDecimals(costs.asked, subtractDecimals(after, before)),
    }
  )
}

/** Equality is within a bound. */
export function isWithin({ measured, max }: Pick<Loss, "measured" | "max">): boolean {
  return compareDecimals(measured, max) <= 0
}
