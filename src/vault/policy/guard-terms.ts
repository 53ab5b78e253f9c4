import type { Decimal } from "../../venue/decimal.ts"
import type { LimitWindow } from "./values/local-clock.ts"

/**
 * The most that a position may come to. `net`: base units of either side. `gross`: base units of both sides together, for
 * hedge mode. `notional`: quote units of either side at the reference price.
 */
export type PositionMax = { readonly kind: "net" | "gross" | "notional"; readonly max: Decimal }

/** How much less an account may be worth than it was: at the start of a day, at most within a while, or ever. */
export type LossBound = {
  readonly kind: "daily_loss" | "loss" | "drawdown"
  /** That of a drawdown never ends. */
  readonly window: LimitWindow
  /** Quote units, or a share of what it is counted from: 5 % is 0.05. */
  readonly max: { readonly kind: "amount" | "share"; readonly value: Decimal }
  /** By what share of their worth positions may fall before the next reading. */
  readonly shock: Decimal
  /** No older reading is believed. */
  readonly maxAgeMs: number
  /** What follows when a reading shows a loss over it. All but `refuse` last until a person ends them, or the day does. */
  readonly then: "refuse" | "reduce_only" | "freeze"
}

/** For each symbol, and for all others. */
export type BySymbol<Value> = {
  readonly bySymbol: ReadonlyMap<number, Value>
  readonly default: Value | undefined
}

/** Bounds what an account may come to. `undefined` bounds nothing, as for a symbol that has neither entry nor default. */
export type Guard = {
  readonly name: string
  readonly maxPosition: BySymbol<PositionMax> | undefined
  /** The most base units of a side that readings free in a day. */
  readonly maxFreed: BySymbol<Decimal> | undefined
  /** Of all symbols together, as `maxOpenNotional`. */
  readonly maxOpenOrders: number | undefined
  /** Quote units. */
  readonly maxOpenNotional: Decimal | undefined
  readonly loss: LossBound | undefined
}

/** A guard, and where it is written. */
export type PlacedGuard = Guard & {
  readonly policy: string
  readonly file: string
  readonly line: number
}
