import type { Address } from "../address.ts"
import type { Decimal } from "../decimal.ts"
import type { FieldError } from "../json.ts"

export const orderTypes = ["limit", "market"] as const
export const timesInForce = ["gtc", "fok", "ioc"] as const
export const positionSides = ["both", "long", "short"] as const
export const marginModes = ["cross", "isolated"] as const
export const marketOrderTypes = ["base", "quote"] as const
export const stpModes = ["cancel_maker", "cancel_taker", "cancel_both", "none"] as const
export const priceMatches = ["queue_1", "queue_5", "counter_party_1", "counter_party_5"] as const
export const algoOrderTypes = ["conditional", "tpsl", "attached_tpsl"] as const
export const orderFlags = ["post_only", "reduce_only"] as const
export const triggerSources = ["last_price", "mark_price", "oracle_price"] as const
export const tpslModes = ["full", "partial"] as const

export type OrderType = (typeof orderTypes)[number]
export type OrderFlag = (typeof orderFlags)[number]

/** A take-profit or stop-loss leg. `orderPrice` is set when its child order is a limit order. */
export type OrderLeg = {
  readonly triggerPrice: Decimal
  readonly triggerBy: (typeof triggerSources)[number] | undefined
  readonly orderType: OrderType | undefined
  readonly orderPrice: Decimal | undefined
}

/** An order that has passed every rule of the venue's interface. Absent fields are `undefined`. */
export type Order = {
  /** A JSON Pointer to it in the body; empty where the body is the order. */
  readonly path: string
  readonly clientOrderId: string | undefined
  readonly symbolId: number
  readonly isBuy: boolean
  readonly orderType: OrderType | undefined
  readonly timeInForce: (typeof timesInForce)[number] | undefined
  /** Base units, or quote units when `marketOrderType` is `quote`. */
  readonly quantity: Decimal
  readonly price: Decimal | undefined
  readonly slippage: Decimal | undefined
  readonly positionSide: (typeof positionSides)[number] | undefined
  readonly marginMode: (typeof marginModes)[number] | undefined
  readonly marketOrderType: (typeof marketOrderTypes)[number] | undefined
  readonly stpMode: (typeof stpModes)[number] | undefined
  readonly priceMatch: (typeof priceMatches)[number] | undefined
  readonly algoOrderType: (typeof algoOrderTypes)[number] | undefined
  readonly conditional:
    | { readonly triggerPrice: Decimal; readonly triggerBy: (typeof triggerSources)[number] }
    | undefined
  readonly tpsl:
    | {
        readonly mode: (typeof tpslModes)[number]
        readonly takeProfit: OrderLeg | undefined
        readonly stopLoss: OrderLeg | undefined
      }
    | undefined
  readonly flags: readonly OrderFlag[]
}

export type AgentApproval = {
  readonly serviceChain: string
  readonly signatureChainId: number
  readonly agentAddress: Address
  readonly authorizedAddress: Address
  readonly validDays: number
  readonly label: string
}

/** A body as far as the profile knows it. Policies read `opaque` and `struct` by JSON pointers only. */
export type Payload =
  | {
      readonly kind: "orders"
      readonly orders: readonly Order[]
      readonly form: "single" | "batch"
    }
  | { readonly kind: "approve_agent"; readonly approval: AgentApproval }
  | { readonly kind: "struct" }
  | { readonly kind: "opaque"; readonly batchLength: number }

/** How many orders or other items it has: 1 where it is no batch. */
export function itemCount(payload: Payload): number {
  if (payload.kind === "orders") return payload.orders.length
  return payload.kind === "opaque" ? payload.batchLength : 1
}

/**
 * What a request can do to risk, as far as the interface makes it sure. `cancel` takes orders away, `reduce` makes
 * orders that can only close positions, `open` is everything else. Decided once per request. Freezes, limits, budgets,
 * expiring agents, a full disk and a doubted clock all use this value.
 */
export type Lane = "cancel" | "reduce" | "open"

// The place-order body as data, from the interface's tables. The parser reads it; the OpenAPI document
// is written from it.

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

/** What can be wrong with a single field. Bots act on these words, so they never change. */
export const fieldRules = [
  "required",
  "unknown_field",
  "wrong_type",
  "value_not_allowed",
  "duplicate_value",
  "empty",
  "too_long",
  "not_decimal",
  "not_above_zero",
  "out_of_range",
  "not_address",
  "wrong_checksum",
  "not_bytes32",
  "wrong_service_chain",
  "wrong_signature_chain_id",
  "too_many_items",
  "field_of_orders",
  "too_large",
  "undisclosed",
] as const

/** Makes an error about one field; `path` leads to it, and `message` says what to send. */
export function fieldError(
  path: string,
  rule: (typeof fieldRules)[number],
  message: string,
): FieldError {
  return { path, rule, message }
}

/** The error of a field that the interface doesn't document. */
export function unknownField(path: string): FieldError {
  return fieldError(
    path,
    "unknown_field",
    "this field isn't documented; leave it out, or have extra_fields in venue.yaml admit it",
  )
}

/** The error of a required field that is absent. */
export function missingField(path: string): FieldError {
  return fieldError(path, "required", "this field is required; add it")
}

/** The error of a value that has another JSON type than the field. */
export function wrongType(path: string, expected: string): FieldError {
  return fieldError(path, "wrong_type", `send ${expected}`)
}
