import type { Address } from "../address.ts"
import type { Decimal } from "../decimal.ts"

export type OrderType = "limit" | "market"
export type TimeInForce = "gtc" | "fok" | "ioc"
export type TriggerBy = "last_price" | "mark_price" | "oracle_price"
export type AlgoOrderType = "conditional" | "tpsl" | "attached_tpsl"
export type OrderFlag = "post_only" | "reduce_only"

/** A take-profit or stop-loss leg. `orderPrice` is set when its child order is a limit order. */
export type OrderLeg = {
  readonly triggerPrice: Decimal
  readonly triggerBy: TriggerBy | undefined
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
  readonly timeInForce: TimeInForce | undefined
  /** Base units, or quote units when `marketOrderType` is `quote`. */
  readonly quantity: Decimal
  readonly price: Decimal | undefined
  readonly slippage: Decimal | undefined
  readonly positionSide: "both" | "long" | "short" | undefined
  readonly marginMode: "cross" | "isolated" | undefined
  readonly marketOrderType: "base" | "quote" | undefined
  readonly stpMode: "cancel_maker" | "cancel_taker" | "cancel_both" | "none" | undefined
  readonly priceMatch: "queue_1" | "queue_5" | "counter_party_1" | "counter_party_5" | undefined
  readonly algoOrderType: AlgoOrderType | undefined
  readonly conditional:
    { readonly triggerPrice: Decimal; readonly triggerBy: TriggerBy } | undefined
  readonly tpsl:
    | {
        readonly mode: "full" | "partial"
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
