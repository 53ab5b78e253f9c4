import type { Address } from "../../venue/address.ts"
import type { Decimal } from "../../venue/decimal.ts"
import type { OrderFlag, OrderType, TimeInForce } from "../../venue/payload.ts"
import type { OperationId } from "../../venue/profile.ts"

export type Side = "buy" | "sell"

/** What an entry asks of an order. An absent matcher asks nothing. */
export type OrderMatchers = {
  readonly symbols: readonly number[] | undefined
  readonly sides: readonly Side[] | undefined
  readonly orderTypes: readonly OrderType[] | undefined
  readonly timeInForce: readonly TimeInForce[] | undefined
  readonly requireFlags: readonly OrderFlag[] | undefined
  readonly forbidFlags: readonly OrderFlag[] | undefined
}

/** The most that a rule allows: for every symbol, or symbol by symbol. A symbol without a maximum is refused. */
export type SizeBound =
  | { readonly kind: "scalar"; readonly max: Decimal }
  | {
      readonly kind: "by_symbol"
      readonly maxBySymbol: ReadonlyMap<number, Decimal>
      readonly defaultMax: Decimal | undefined
    }

/** An entry of `deny`, and what every entry of `rules` has too. */
export type Entry = {
  readonly name: string
  /** Where it starts in its file, from 1. */
  readonly line: number
  /** What it covers: its `endpoints`; without them all, or only what makes orders if it speaks of orders. */
  readonly operations: ReadonlySet<OperationId>
  readonly matchers: OrderMatchers
}

export type Rule = Entry & {
  /** Base units. */
  readonly maxQuantity: SizeBound | undefined
  /** Quote units, at the worst price. */
  readonly maxNotional: SizeBound | undefined
  /** A fraction: `1%` is 0.01. */
  readonly priceMatchBand: Decimal | undefined
  readonly allowFullTpsl: boolean
  /** Agents that may be approved: those held here under the signing wallet, or exactly these. */
  readonly agentAddresses: "held" | readonly Address[]
  /** Accounts that may be `authorized_address` besides the signer. */
  readonly authorizedAddresses: readonly Address[]
  readonly maxValidDays: number
}

/** One policy file. */
export type Policy = {
  readonly name: string
  readonly file: string
  /** Both must match; `undefined` is everyone. */
  readonly appliesTo: {
    readonly clients: readonly string[] | undefined
    readonly keys: readonly string[] | undefined
  }
  readonly rules: readonly Rule[]
  readonly deny: readonly Entry[]
}
