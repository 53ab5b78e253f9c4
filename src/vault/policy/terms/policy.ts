import type { Address } from "../../../venue/address.ts"
import type { Decimal } from "../../../venue/decimal.ts"
import type { OperationId } from "../../../venue/profile.ts"
import type { Matchers } from "../match/matchers.ts"
import type { FieldPointer } from "../values/scalars.ts"
import type { DayWindow } from "../values/local-clock.ts"

/** An amount for every symbol, or symbol by symbol. A symbol without one is refused. */
export type SizeBound =
  | { readonly kind: "scalar"; readonly amount: Decimal }
  | {
      readonly kind: "by_symbol"
      readonly amountBySymbol: ReadonlyMap<number, Decimal>
      readonly defaultAmount: Decimal | undefined
    }

/** What an entry of every list has. */
export type Entry = {
  readonly name: string
  /** Where it starts in its file, from 1. */
  readonly line: number
  /** What it covers: its `endpoints`; without them, what its other keys are about, or everything. */
  readonly operations: ReadonlySet<OperationId>
  readonly matchers: Matchers
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
      /** The field that names the asset. Amounts of two assets are never added. */
      readonly by: FieldPointer | undefined
    }

export type LimitWindow =
  | { readonly kind: "rolling"; readonly lengthMs: number }
  | {
      readonly kind: "day"
      readonly zone: string
      /** The calendar day around a time; `undefined` for a time that no calendar has. */
      readonly dayAt: (nowMs: number) => DayWindow | undefined
    }

export type Limit = Entry & {
  readonly counted: Counted
  readonly window: LimitWindow
  readonly max: Decimal
  readonly per: "client" | "key" | "symbol" | "account" | "all"
  readonly lane: "reduce" | undefined
  readonly mode: "enforce" | "observe"
  readonly release: "never" | "refused"
  /** Whether the limit has `endpoints`: only then cancels among them count. */
  readonly namesEndpoints: boolean
  /** A digest of what is counted. A claim's meter is this and whom it is counted for. */
  readonly definition: string
}

/** Matches orders over a size, each by itself, and orders that can't be sized. */
export type Over = { readonly kind: "quantity" | "notional"; readonly bound: SizeBound }

export type Deny = Entry & { readonly over: Over | undefined }

export type Hold = Deny & { readonly ttlMs: number }

/** What a verdict names: an entry, or a key of the file itself. */
export type Named = Pick<Entry, "name" | "line">

/** One policy file. */
export type Policy = {
  readonly name: string
  readonly file: string
  /** Whom it applies to: client and key must both match. `undefined` is everyone. */
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
  /** Nothing of its clients and keys is signed without an idempotency key. */
  readonly requireIdempotency: Named | undefined
  /** The same body isn't signed again within this time without one. */
  readonly repeatWithin: (Named & { readonly ms: number }) | undefined
}
