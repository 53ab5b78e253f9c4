import type { Address } from "../../../venue/address.ts"
import type { Decimal } from "../../../venue/decimal.ts"
import type {
  AlgoOrderType,
  Order,
  OrderFlag,
  OrderType,
  TimeInForce,
} from "../../../venue/payload/payload.ts"
import type { OperationId } from "../../../venue/profile.ts"
import type { FieldCondition, FieldPointer } from "./body-field.ts"
import type { ClaimWindow } from "./claim.ts"
import type { Hours } from "./hours.ts"
import type { Pattern } from "./pattern.ts"

export type Side = "buy" | "sell"
export type PositionSide = NonNullable<Order["positionSide"]>
export type MarginMode = NonNullable<Order["marginMode"]>
export type StpMode = NonNullable<Order["stpMode"]>
/** `none`: the order has no `algo_order_type`. */
export type AlgoType = AlgoOrderType | "none"

/** What an entry asks of an order. An absent matcher asks nothing. */
export type OrderMatchers = {
  readonly symbols: readonly number[] | undefined
  readonly sides: readonly Side[] | undefined
  readonly orderTypes: readonly OrderType[] | undefined
  readonly timeInForce: readonly TimeInForce[] | undefined
  readonly requireFlags: readonly OrderFlag[] | undefined
  readonly forbidFlags: readonly OrderFlag[] | undefined
  readonly positionSides: readonly PositionSide[] | undefined
  readonly marginModes: readonly MarginMode[] | undefined
  readonly stpModes: readonly StpMode[] | undefined
  readonly algoOrderTypes: readonly AlgoType[] | undefined
  readonly clientOrderId: Pattern | undefined
}

/** What an entry asks of a request as a whole, whatever its operation. An absent matcher asks nothing. */
export type RequestMatchers = {
  readonly targetAddresses: readonly Address[] | undefined
  /** The label that approveAgent gives the agent. */
  readonly label: Pattern | undefined
  readonly hours: Hours | undefined
  readonly where: readonly FieldCondition[] | undefined
}

/** An amount for every symbol, or symbol by symbol. A symbol without one is refused. */
export type SizeBound =
  | { readonly kind: "scalar"; readonly amount: Decimal }
  | {
      readonly kind: "by_symbol"
      readonly amountBySymbol: ReadonlyMap<number, Decimal>
      readonly defaultAmount: Decimal | undefined
    }

/** What every entry of every list has. */
export type Entry = {
  readonly name: string
  /** Where it starts in its file, from 1. */
  readonly line: number
  /** What it covers: its `endpoints`; without them all, or only what its other keys speak of. */
  readonly operations: ReadonlySet<OperationId>
  readonly matchers: OrderMatchers & RequestMatchers
}

export type Rule = Entry & {
  /** Base units, the most and the least. */
  readonly maxQuantity: SizeBound | undefined
  readonly minQuantity: SizeBound | undefined
  /** Quote units, at the worst price. */
  readonly maxNotional: SizeBound | undefined
  /** Fractions: `1%` is 0.01. */
  readonly priceBand: Decimal | undefined
  readonly priceMatchBand: Decimal | undefined
  readonly maxSlippage: Decimal | undefined
  readonly maxExpiresInMs: number | undefined
  readonly allowFullTpsl: boolean
  /** Agents that may be approved: those held here under the signing wallet, or exactly these. */
  readonly agentAddresses: "held" | readonly Address[]
  /** Accounts that may be `authorized_address` besides the signer. */
  readonly authorizedAddresses: readonly Address[]
  readonly maxValidDays: number
}

/** What a limit adds up. */
export type Counted =
  | { readonly kind: "submitted_notional" | "submitted_quantity" | "requests" | "orders" }
  | {
      readonly kind: "field"
      readonly pointer: FieldPointer
      /** What the field is an amount of: amounts of two assets are never added. */
      readonly by: FieldPointer | undefined
    }

export type LimitWindow =
  | { readonly kind: "rolling"; readonly lengthMs: number }
  | {
      readonly kind: "day"
      readonly zone: string
      /** The calendar day around a time; `undefined` for a time that no calendar has. */
      readonly dayAt: (nowMs: number) => Extract<ClaimWindow, { readonly kind: "day" }> | undefined
    }

export type Limit = Entry & {
  readonly counted: Counted
  readonly window: LimitWindow
  readonly max: Decimal
  readonly per: "client" | "key" | "symbol" | "account" | "all"
  readonly lane: "reduce" | undefined
  readonly mode: "enforce" | "observe"
  readonly release: "never" | "refused"
  /** Whether `endpoints` is written: only then the cancels among them count. */
  readonly namesEndpoints: boolean
  /** A digest of all that says what is counted; with whom it is counted for it makes a claim's meter. */
  readonly definition: string
}

/** Orders over a size, each by itself, and what can't be sized. */
export type Over = { readonly kind: "quantity" | "notional"; readonly bound: SizeBound }

export type Deny = Entry & { readonly over: Over | undefined }

export type Hold = Deny & { readonly ttlMs: number }

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
  readonly deny: readonly Deny[]
  readonly limits: readonly Limit[]
  readonly hold: readonly Hold[]
  /** Paths that may be read, as patterns. */
  readonly reads: readonly string[]
}
