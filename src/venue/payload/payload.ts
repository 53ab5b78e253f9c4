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
