import { marketSymbols, readUnits, seededRandom, type MarketSymbol } from "../state/market.ts"
import type { PricePath } from "../state/market-state.ts"

type Mood = {
  /** About how far a price moves in a second, as a share of it. */
  readonly step: number
  /** How often a second has a jump, and how far one goes at most. */
  readonly jumpChance: number
  readonly jump: number
  /** In millionths. */
  readonly maxFunding: number
  /** Falls from one second to another, by so much in each. */
  readonly fall?: { readonly from: number; readonly to: number; readonly share: number }
}

/** How a market can be. All of it is invented. */
export const moods = {
  calm: { step: 0.000_1, jumpChance: 0, jump: 0, maxFunding: 100 },
  volatile: { step: 0.000_8, jumpChance: 0.01, jump: 0.02, maxFunding: 500 },
  crash: {
    step: 0.000_5,
    jumpChance: 0.02,
    jump: 0.01,
    maxFunding: 1_000,
    fall: { from: 60, to: 90, share: 0.012 }, // 30 seconds of 1.2 % each: about 30 % in all
  },
} as const satisfies Readonly<Record<string, Mood>>

export type MoodName = keyof typeof moods

/** Prices are whole hundredths; money is exact from there on. */
const unitsOfCent = readUnits("0.01")

/**
 * Prices that walk by chance. The same seed gives the same prices at the same seconds, however often one looks. Symbols of
 * one base have one price.
 */
export function walkPath(name: MoodName, seed: number): PricePath {
  const mood: Mood = moods[name]
  const walks = new Map<string, Walk>()
  return {
    maxFunding: mood.maxFunding,
    priceAt: (symbol, second) => {
      const base = baseOf(symbol)
      const walk = walks.get(base) ?? startWalk(symbol, seed)
      walks.set(base, walk)
      while (walk.cents.length <= second) takeStep(walk, mood)
      return BigInt(walk.cents[Math.max(second, 0)] ?? 1) * unitsOfCent
    },
  }
}

/** `BTC` of `BTC-PERP`. */
export function baseOf({ name }: MarketSymbol): string {
  return name.split("-")[0] ?? name
}

/** Prices by second. Floats alone decide where they go, and each is a whole number of hundredths. */
type Walk = { readonly random: () => number; readonly cents: number[]; price: number }

function startWalk(symbol: MarketSymbol, seed: number): Walk {
  const first = marketSymbols.find((each) => baseOf(each) === baseOf(symbol)) ?? symbol
  const price = Number(first.referencePrice)
  return { random: seededRandom(seed + first.id), cents: [Math.round(price * 100)], price }
}

function takeStep(walk: Walk, { step, jumpChance, jump, fall }: Mood): void {
  const second = walk.cents.length
  // The sum of three is nearly normal, and needs no function whose last digit differs between machines.
  const usual = (walk.random() + walk.random() + walk.random() - 1.5) * 2 * step
  const hasJump = walk.random() < jumpChance
  const sudden = (walk.random() * 2 - 1) * jump
  const falls = fall !== undefined && second >= fall.from && second < fall.to
  const change = usual + (hasJump ? sudden : 0) - (falls ? fall.share : 0)
  walk.price = Math.max(0.01, walk.price * (1 + change))
  walk.cents.push(Math.max(1, Math.round(walk.price * 100)))
}
