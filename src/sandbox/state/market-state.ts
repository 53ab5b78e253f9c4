import type { Funds, SettingsByAccount } from "./accounts.ts"
import type { MarketSymbol } from "./market.ts"
import type { Book, OpenOrder, Records } from "./records.ts"

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

/** A signed quantity, and what was paid for it: the sum of quantity × price of what is still held, signed too. */
export type Position = { readonly quantity: bigint; readonly cost: bigint }

/** Where prices go. */
export type PricePath = {
  /** A symbol's price in units, so many whole seconds after the market began. */
  readonly priceAt: (symbol: MarketSymbol, second: number) => bigint
  /** The most that funding is at once, in millionths of a position's value. */
  readonly maxFunding: number
}
