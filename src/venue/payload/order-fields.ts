// The place-order body as data, from the interface's tables. The parser reads it; the OpenAPI document
// is written from it.

import type {
  AlgoOrderType,
  Order,
  OrderFlag,
  OrderType,
  TimeInForce,
  TriggerBy,
} from "./payload.ts"

export type FieldType =
  /** Lengths in code points. */
  | { readonly kind: "text"; readonly minLength: number; readonly maxLength: number }
  | { readonly kind: "id" }
  | { readonly kind: "boolean" }
  /** A decimal string above zero, within `range` (both ends included) if there is one. */
  | { readonly kind: "decimal"; readonly range?: { readonly min: string; readonly max: string } }
  | { readonly kind: "word"; readonly values: readonly string[] }
  | { readonly kind: "words"; readonly values: readonly string[] }
  | { readonly kind: "object"; readonly fields: readonly BodyField[]; readonly nullable: boolean }

export type BodyField = {
  readonly name: string
  readonly required: boolean
  readonly type: FieldType
}

export const orderTypes: readonly OrderType[] = ["limit", "market"]
export const timesInForce: readonly TimeInForce[] = ["gtc", "fok", "ioc"]
export const positionSides: readonly ValueOf<"positionSide">[] = ["both", "long", "short"]
export const marginModes: readonly ValueOf<"marginMode">[] = ["cross", "isolated"]
export const marketOrderTypes: readonly ValueOf<"marketOrderType">[] = ["base", "quote"]
export const stpModes: readonly ValueOf<"stpMode">[] = [
  "cancel_maker",
  "cancel_taker",
  "cancel_both",
  "none",
]
export const priceMatches: readonly ValueOf<"priceMatch">[] = [
  "queue_1",
  "queue_5",
  "counter_party_1",
  "counter_party_5",
]
export const algoOrderTypes: readonly AlgoOrderType[] = ["conditional", "tpsl", "attached_tpsl"]
export const orderFlags: readonly OrderFlag[] = ["post_only", "reduce_only"]
export const triggerSources: readonly TriggerBy[] = ["last_price", "mark_price", "oracle_price"]
export const tpslModes: readonly NonNullable<Order["tpsl"]>["mode"][] = ["full", "partial"]

type ValueOf<Name extends keyof Order> = NonNullable<Order[Name]>

const decimal: FieldType = { kind: "decimal" }

const conditionalFields: readonly BodyField[] = [
  required("trigger_price", decimal),
  required("trigger_by", word(triggerSources)),
]

/** Take-profit and stop-loss. */
export const legNames = ["tp", "sl"] as const
export type LegName = (typeof legNames)[number]

/** The fields of a leg. */
export function legFields(leg: LegName): readonly BodyField[] {
  return [
    optional(`${leg}_trigger_price`, decimal),
    optional(`${leg}_trigger_by`, word(triggerSources)),
    optional(`${leg}_order_type`, word(orderTypes)),
    optional(`${leg}_order_price`, decimal),
  ]
}

const tpslFields: readonly BodyField[] = [
  required("tpsl_mode", word(tpslModes)),
  ...legNames.flatMap(legFields),
]

/** Every business field of placeOrder. */
export const orderFields: readonly BodyField[] = [
  optional("client_order_id", { kind: "text", minLength: 1, maxLength: 36 }),
  required("symbol_id", { kind: "id" }),
  required("is_buy", { kind: "boolean" }),
  optional("order_type", word(orderTypes)),
  optional("time_in_force", word(timesInForce)),
  required("quantity", decimal),
  optional("price", decimal),
  optional("slippage", { kind: "decimal", range: { min: "0.0001", max: "0.1" } }),
  optional("position_side", word(positionSides)),
  optional("margin_mode", word(marginModes)),
  optional("market_order_type", word(marketOrderTypes)),
  optional("stp_mode", word(stpModes)),
  optional("price_match", word(priceMatches)),
  optional("algo_order_type", word(algoOrderTypes)),
  optional("conditional", { kind: "object", fields: conditionalFields, nullable: false }),
  // Rule 3 mentions a tpsl whose value is null, so null is allowed.
  optional("tpsl", { kind: "object", fields: tpslFields, nullable: true }),
  optional("flags", { kind: "words", values: orderFlags }),
]

function required(name: string, type: FieldType): BodyField {
  return { name, required: true, type }
}

function optional(name: string, type: FieldType): BodyField {
  return { name, required: false, type }
}

function word(values: readonly string[]): FieldType {
  return { kind: "word", values }
}
