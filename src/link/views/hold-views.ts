import type { PayloadShape } from "../../venue/profile.ts"

/** A request that waits for a person. */
export type HoldView = {
  readonly id: string
  readonly state: "pending" | "released" | "refused" | "used" | "expired"
  readonly client: string
  readonly key: string
  readonly operation: string
  readonly target: string | null
  readonly policy: string
  readonly rule: string
  /** The business fields, canonical JSON. */
  readonly body: string
  /** How the operation's body is read. */
  readonly shape: PayloadShape
  /** What it can cost at worst, in words. */
  readonly worst_case: string
  readonly expires_at: number
}

/** What of the venue's profile tells how an order is meant. */
export type SymbolsView = {
  /** By their ids. */
  readonly names: Readonly<Record<string, string>>
  /** What each is priced in, by their ids. */
  readonly quotes: Readonly<Record<string, string>>
  readonly default_market_order_type: "base" | "quote" | null
}
