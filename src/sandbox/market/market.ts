import {
  balancesOf,
  type AccountSettings,
  type Funds,
  type SettingsByAccount,
} from "../state/accounts.ts"
import { marketSymbols, type MarketSymbol } from "../state/market.ts"
import type { Book, OpenOrder, Records } from "../state/records.ts"
import type { Quote } from "./matching.ts"
import { flat, type Position } from "./positions.ts"
import type { PricePath } from "./price-path.ts"

/** What a market remembers, beside what the sandbox does without one. */
export type Market = {
  readonly path: PricePath
  readonly seed: number
  /** When its first second began. */
  readonly startMs: number
  /** The last second that was played. */
  second: number
  readonly book: Book
  readonly records: Records
  readonly funds: Funds
  readonly settings: SettingsByAccount
  readonly accounts: Map<string, MarketAccount>
  /** What has happened, oldest first: the truth. */
  readonly events: MarketEvent[]
  /** How open orders were, for reads that lag; by order id. */
  readonly versions: Map<string, Version<OpenOrder | undefined>[]>
  /** Takes a readable line for what happens without a request. */
  readonly say: (line: string) => void
}

export type MarketAccount = {
  /** By {@link positionKey}. One that is flat isn't in it. */
  readonly positions: Map<string, HeldPosition>
  /** Sums since the market began, in units of the quote asset. */
  readonly sums: { realised: bigint; fees: bigint; funding: bigint; writtenOff: bigint }
  /** How it was, for reads that lag. */
  readonly versions: Version<AccountView>[]
}

export type PositionSide = "both" | "long" | "short"

export type HeldPosition = Position & {
  readonly symbol: MarketSymbol
  readonly side: PositionSide
}

/** Something as it was from a moment on. */
export type Version<Value> = { readonly atMs: number; readonly value: Value }

/** What a read shows of an account. */
export type AccountView = {
  /** Units by asset. */
  readonly balances: ReadonlyMap<string, bigint>
  readonly isolatedMargin: bigint
  readonly positions: readonly HeldPosition[]
}

/** Something that really happened. Amounts are decimals in text. */
export type MarketEvent = {
  readonly number: number
  readonly at_ms: number
  readonly kind: "accepted" | "filled" | "ended" | "funding" | "liquidated" | "flow" | "written_off"
  readonly account_address: string
  readonly [detail: string]: unknown
}

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
  event: Omit<MarketEvent, "number"> & Pick<MarketEvent, "at_ms" | "kind" | "account_address">,
): void {
  const number = (events.at(-1)?.number ?? 0) + 1
  events.push({ ...event, number } as MarketEvent) // Omit forgets the names beside an index
  if (events.length > keptEvents) events.shift()
}
