import { seededRandom } from "./random.ts"
import { decimalText, readUnits } from "./decimal.ts"
import type { MarketSymbol } from "./market.ts"

/** The price of a symbol at a time, in quote units for one base unit. */
export type Ticker = (symbol: MarketSymbol, nowMs: number) => string

/** Prices that never move. */
export const stillTicker: Ticker = ({ referencePrice }) => referencePrice

/** Shares of the reference price are counted in hundred-thousandths. */
const whole = 100_000
const maxStep = 50
const maxOffset = 5_000

/**
 * Prices that move each second by 0.05 % at most, up or down, and stay within 5 % of where they began. The same seed
 * gives the same prices at the same seconds after the first look.
 */
export function movingTicker(seed: number): Ticker {
  const walks = new Map<number, { readonly random: () => number; second: number; offset: number }>()
  return ({ id, referencePrice }, nowMs) => {
    const nowSecond = Math.floor(nowMs / 1_000)
    const walk = walks.get(id) ?? { random: seededRandom(seed + id), second: nowSecond, offset: 0 }
    walks.set(id, walk)
    for (; walk.second < nowSecond; walk.second += 1) {
      const step = Math.floor(walk.random() * (2 * maxStep + 1)) - maxStep
      walk.offset = Math.max(-maxOffset, Math.min(maxOffset, walk.offset + step))
    }
    return decimalText((readUnits(referencePrice) * BigInt(whole + walk.offset)) / BigInt(whole))
  }
}
