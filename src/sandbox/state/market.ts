/** The network the sandbox plays: its own chain id, so that nothing signed for it is good elsewhere. Invented. */
export const sandboxChainId = 842_569_901

/** The `service_chain` of Type B requests to the sandbox. Invented. */
export const sandboxServiceChain = "Sandbox"

/** Where the sandbox listens unless told otherwise. Invented. */
export const defaultSandboxPort = 8421

export type MarketSymbol = {
  readonly id: number
  readonly name: string
  readonly market: "spot" | "perp"
  readonly quote: string
  /** In quote units for one base unit. */
  readonly referencePrice: string
}

/** What the sandbox trades. Invented, unless {@link tradeInstead} says otherwise. */
export let marketSymbols: readonly MarketSymbol[] = [
  { id: 1, name: "BTC-PERP", market: "perp", quote: "USD", referencePrice: "64000" },
  { id: 2, name: "ETH-PERP", market: "perp", quote: "USD", referencePrice: "3200" },
  { id: 3, name: "BTC-USD", market: "spot", quote: "USD", referencePrice: "64000" },
]

/** Has this process's sandbox trade what an installation does, before it is started. */
export function tradeInstead(symbols: readonly MarketSymbol[]): void {
  marketSymbols = symbols
}

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

// Exact arithmetic on pretend balances: amounts are counted in units of 10^-40, which is as fine as the
// sandbox's own bound on a decimal string.

const fractionDigits = 40

/** Reads a decimal string that the `amount` check has passed. */
export function readUnits(decimal: string): bigint {
  const [whole = "", fraction = ""] = decimal.split(".")
  return BigInt(whole + fraction.padEnd(fractionDigits, "0"))
}

/** Writes units as the shortest decimal string. */
export function decimalText(units: bigint): string {
  if (units < 0n) return `-${decimalText(-units)}`
  const digits = units.toString().padStart(fractionDigits + 1, "0")
  const whole = digits.slice(0, -fractionDigits)
  const fraction = digits.slice(-fractionDigits).replace(/0+$/, "")
  return fraction === "" ? whole : `${whole}.${fraction}`
}

/** Numbers from 0 up to 1, excluded. The same seed gives the same numbers: mulberry32, good enough for faults. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
