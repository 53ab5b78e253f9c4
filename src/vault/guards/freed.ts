import { addDecimals, type Decimal, excessOf, maxDecimal, zero } from "../../venue/decimal.ts"
import { addQuantity, type Opener, type Quantities, type Side, type Worst } from "./exposure.ts"

/*
 * How much readings free in a day. Who reads an account may say that orders are gone which are open, or that a position is. But
 * a side comes to no more than it could when the day began and what was signed since, whatever was read then: that is no
 * reader's word. How much less is counted, readings freed. A guard that lets them free F of a side in a day counts
 * what is beyond F as if it were there, so what it grants comes to its maximum and F at most. What it holds back
 * when a day ends it goes on holding back, less another F: n days of lies let a side come to the maximum and n times F.
 *
 * The first reading is believed, and so is each start's: nothing here outlives the process.
 */

/** The base units of a symbol that readings may free in a day; `undefined` for all of them. */
export type MayFree = (symbolId: number) => Decimal | undefined

type Sums = Pick<Worst, "position" | "symbols">

const dayMs = 86_400_000

/** Starts before the first reading. Days are of UTC. */
export function openFreed() {
  let day: number | undefined
  let unread: Quantities = new Map()
  return {
    /** Counts what was signed. */
    took: (opener: Opener): void => addQuantity(unread, opener),
    /** Begins a day with its first reading. `sums`: what sides came to before it; of the first ever, after it. */
    begin(atMs: number, sums: Sums, mayFree?: MayFree): void {
      const next = Math.floor(atMs / dayMs)
      if (next === day) return
      const held = day === undefined ? new Map<number, never>() : unread
      const symbols = new Set([...held.keys(), ...sums.symbols()])
      const least = (symbolId: number, side: Side): Decimal => {
        const [may, of] = [mayFree?.(symbolId), held.get(symbolId)?.[side] ?? zero]
        return maxDecimal(sumOf(sums, symbolId, side), may ? excessOf(of, may) : zero)
      }
      unread = new Map(
        [...symbols].map((id) => [id, { long: least(id, "long"), short: least(id, "short") }]),
      )
      day = next
    },
    /** What readings freed of a side today, by what it comes to now. */
    by: (sums: Sums) => (symbolId: number, side: Side) =>
      excessOf(unread.get(symbolId)?.[side] ?? zero, sumOf(sums, symbolId, side)),
  }
}

function sumOf({ position }: Sums, symbolId: number, side: Side): Decimal {
  const { measured, inFlight } = position(symbolId, side)
  return addDecimals(measured, inFlight)
}
