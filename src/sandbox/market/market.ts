import { balancesOf, type AccountSettings } from "../state/accounts.ts"
import { marketSymbols, type MarketSymbol } from "../state/market.ts"
import type { Quote } from "./matching.ts"
import { flat } from "./positions.ts"
import type {
  Market,
  MarketAccount,
  MarketEvent,
  Position,
  PositionSide,
} from "../state/market-state.ts"

/** The quote asset of all that is traded here; equity is counted in it. */
export const quoteAsset = "USD"

/** A market that begins at `startMs`, on what a sandbox remembers anyway. */
export function createMarket(
  given: Pick<Market, "path" | "seed" | "startMs" | "say" | "book" | "records" | "funds"> &
    Pick<Market, "settings">,
): Market {
  const { path, seed, startMs, say, book, records, funds, settings } = given
  const remembered = { accounts: new Map(), events: [], versions: new Map() }
  return { path, seed, startMs, say, book, records, funds, settings, second: 0, ...remembered }
}

/** The price of a symbol at a time. */
export function priceAt({ path, startMs }: Market, symbol: MarketSymbol, atMs: number): bigint {
  return path.priceAt(symbol, Math.max(0, Math.floor((atMs - startMs) / 1_000)))
}

/** The market in a symbol at the second that was played last. */
export function quoteOf({ path, seed, second }: Market, symbol: MarketSymbol): Quote {
  return { seed, symbolId: symbol.id, second, price: path.priceAt(symbol, second) }
}

/** The symbol of an order that was checked. */
export function symbolOf(symbolId: unknown): MarketSymbol {
  const symbol = marketSymbols.find(({ id }) => id === symbolId)
  if (symbol === undefined) throw new Error("the sandbox trades no such symbol")
  return symbol
}

/** An account's place in the market, made at the first look at it: before anything of it changes. */
export function marketAccount({ accounts, funds }: Market, account: string): MarketAccount {
  const known = accounts.get(account)
  if (known !== undefined) return known
  const sums = { realised: 0n, fees: 0n, funding: 0n, writtenOff: 0n }
  const balances = new Map(balancesOf(funds, account))
  const first = { atMs: 0, value: { balances, isolatedMargin: 0n, positions: [] } }
  const made: MarketAccount = { positions: new Map(), sums, versions: [first] }
  accounts.set(account, made)
  return made
}

/** An account's settings, or what it has before it set any. */
export function settingsIn({ settings }: Market, account: string): AccountSettings {
  return (
    settings.get(account) ?? { positionMode: "one_way", leverage: new Map(), margin: new Map() }
  )
}

/** The name of a position among those of its account. */
export function positionKey(symbol: MarketSymbol, side: PositionSide): string {
  return `${symbol.id}:${side}`
}

/** What an account holds in a symbol, on one side. */
export function positionOf(
  market: Market,
  account: string,
  { symbol, side }: { readonly symbol: MarketSymbol; readonly side: PositionSide },
): Position {
  return marketAccount(market, account).positions.get(positionKey(symbol, side)) ?? flat
}

/** Kept, newest last; older ones are forgotten. */
const keptEvents = 2_000_000

/** Records what happened. */
export function recordEvent(
  { events }: Market,
  event: Pick<MarketEvent, "at_ms" | "kind" | "account_address"> &
    Readonly<Record<string, unknown>>,
): void {
  const number = (events.at(-1)?.number ?? 0) + 1
  events.push({ ...event, number })
  if (events.length > keptEvents) events.shift()
}
