import type * as z from "zod"

import type { Address } from "../../../venue/address.ts"
import * as payload from "../../../venue/payload/payload.ts"
import { addressText, listOf, listOfWords, oneOf, symbolRef } from "../values/scalars.ts"
import { hours } from "./hours.ts"
import {
  type JudgedOrder,
  type Subject,
  type JudgedRequest,
  bothSides,
  sidesOf,
  orderTypesOf,
  partText,
  symbolText,
  symbolsOf,
  type Reading,
  patternMatcher,
  sorted,
  type Matcher,
  listMatcher,
  readingText,
  type Beside,
} from "./judged-request.ts"
import { where } from "./where.ts"

const symbols = listMatcher({
  key: "symbols",
  written: "names, or ids",
  meaning: "Symbols of the order, by their names in venue.yaml or by their ids.",
  example: ["BTC-PERP", "ETH-PERP"],
  reason: "symbol_not_allowed",
  item: symbolRef,
  read: symbolsOf,
  text: symbolText,
})

const sides = listMatcher({
  key: "sides",
  meaning: "Sides of the order.",
  example: ["buy"],
  unreadable: "a standalone tpsl is both sides",
  reason: "side_not_allowed",
  item: () => oneOf(bothSides),
  read: sidesOf,
})

const orderTypes = listMatcher({
  key: "order_types",
  meaning: "Types of the order.",
  example: ["limit"],
  unreadable: "a leg with a price but no type is both",
  reason: "order_type_not_allowed",
  item: () => oneOf(payload.orderTypes),
  read: orderTypesOf,
  contradictions: [
    {
      message: "no order matches: a market order can't be post_only",
      isIn: (_, beside) => isMarketOnly(beside) && isPostOnly(beside),
    },
  ],
})

const timeInForce = listMatcher({
  key: "time_in_force",
  meaning:
    "Times in force of the order: a limit order without one is gtc, a market order has none.",
  example: ["gtc"],
  unreadable: "a leg's limit order, and a standalone tpsl without `order_type`: unreadable",
  reason: "time_in_force_not_allowed",
  item: () => oneOf(payload.timesInForce),
  read: timeInForceOf,
  contradictions: [
    {
      message: "no order matches: a market order has no time_in_force",
      isIn: (_, beside) => isMarketOnly(beside),
    },
    {
      message: "no order matches: a post_only order is gtc",
      isIn: (times, beside) => isPostOnly(beside) && !times.includes("gtc"),
    },
  ],
})

function timeInForceOf({
  order,
  leg,
  orderTypes: types,
}: JudgedOrder): Reading<(typeof payload.timesInForce)[number]> {
  // A market order has none. The interface doesn't say what a leg's limit order has.
  if (leg !== undefined) return types?.includes("limit") === true ? undefined : []
  if (order.timeInForce !== undefined) return [order.timeInForce]
  if (order.orderType === "limit") return ["gtc"] // the documented default
  return order.orderType === "market" ? [] : undefined
}

type Flags<Reason extends string> = Matcher<readonly payload.OrderFlag[], JudgedOrder, Reason>

/** What the two have in common. */
const flags = {
  schema: () => listOfWords(payload.orderFlags),
  asked: (order: JudgedOrder) => `${partText(order)}flags ${readingText(flagsOf(order))}`,
  form: sorted,
  narrowedBy: "more",
} as const

const requireFlags: Flags<"flag_required"> = {
  ...flags,
  key: "require_flags",
  meaning: "Flags that the order must all have. A leg has no flags.",
  example: ["post_only"],
  reason: "flag_required",
  fits: (required, order) => required.every((flag) => flagsOf(order).includes(flag)),
  allowed: (required) => `with ${required.join(", ")}`,
}

const forbidFlags: Flags<"flag_forbidden"> = {
  ...flags,
  key: "forbid_flags",
  meaning: "Flags of which the order must have none.",
  example: ["reduce_only"],
  reason: "flag_forbidden",
  fits: (forbidden, order) => !forbidden.some((flag) => flagsOf(order).includes(flag)),
  allowed: (forbidden) => `without ${forbidden.join(", ")}`,
  contradictions: [
    {
      message: "no order matches: a flag is required and forbidden",
      isIn: (forbidden, { requireFlags: required = [] }) =>
        required.some((flag) => forbidden.includes(flag)),
    },
  ],
}

/** The interface gives legs no flags, so no leg says that it is post_only or reduce_only. */
function flagsOf({ order, leg }: JudgedOrder): readonly payload.OrderFlag[] {
  return leg === undefined ? order.flags : []
}

const positionSides = listMatcher({
  key: "position_sides",
  meaning:
    "Position sides of the order; left out on a perpetual it can't be read, and a spot order has none.",
  example: ["both"],
  unreadable: "left out on anything but a known spot symbol: unreadable",
  reason: "position_side_not_allowed",
  item: () => oneOf(payload.positionSides),
  read: (order) => ownOrAccounts(order.order.positionSide, order),
})

const marginModes = listMatcher({
  key: "margin_modes",
  meaning:
    "Margin modes of the order; left out on a perpetual it can't be read, and a spot order has none.",
  example: ["isolated"],
  unreadable: "as `position_sides`",
  reason: "margin_mode_not_allowed",
  item: () => oneOf(payload.marginModes),
  read: (order) => ownOrAccounts(order.order.marginMode, order),
})

/** Spot orders have none. Elsewhere, if it is left out, the account's mode decides, and the request doesn't say it. */
function ownOrAccounts<Value>(own: Value | undefined, { symbol }: JudgedOrder): Reading<Value> {
  if (own !== undefined) return [own]
  return symbol?.market === "spot" ? [] : undefined
}

const stpModes = listMatcher({
  key: "stp_modes",
  meaning: "Self-trade preventions of the order; an order without one is cancel_maker.",
  example: ["cancel_maker", "cancel_both"],
  unreadable: "a leg's: unreadable",
  reason: "stp_mode_not_allowed",
  item: () => oneOf(payload.stpModes),
  // The interface doesn't say whether a leg's order has the mode of its entry.
  read: ({ order, leg }) => (leg === undefined ? [order.stpMode ?? "cancel_maker"] : undefined),
})

const algoTypes = [...payload.algoOrderTypes, "none"] as const

const algoOrderTypes = listMatcher({
  key: "algo_order_types",
  meaning: "Algo types of the order; none is an order without algo_order_type.",
  example: ["none"],
  unreadable: "`conditional` or `tpsl` fields without the type: unreadable",
  reason: "algo_order_type_not_allowed",
  item: () => oneOf(algoTypes),
  read: algoTypeOf,
})

/** An order that breaks the venue's rules here is unreadable; it never counts as "none". */
function algoTypeOf({ order }: JudgedOrder): Reading<(typeof algoTypes)[number]> {
  if (order.algoOrderType !== undefined) return [order.algoOrderType]
  return order.conditional === undefined && order.tpsl === undefined ? ["none"] : undefined
}

const clientOrderId = patternMatcher({
  key: "client_order_id",
  meaning:
    "A regular expression for the whole client_order_id; an order without one doesn't match, and a leg has its order's.",
  example: "mm-[0-9a-f]+",
  reason: "client_order_id_not_allowed",
  read: ({ order: { clientOrderId: id } }: JudgedOrder) => (id === undefined ? [] : [id]),
})

/** Every matcher of orders and legs, in the order in which a rule asks them. */
const ofOrders = {
  symbols,
  sides,
  orderTypes,
  timeInForce,
  requireFlags,
  forbidFlags,
  positionSides,
  marginModes,
  stpModes,
  algoOrderTypes,
  clientOrderId,
}

/** Whether an entry asks for market orders alone. */
function isMarketOnly({ orderTypes: types }: Beside): boolean {
  return types?.every((type) => type === "market") ?? false
}

/** Whether an entry asks for post_only orders alone. */
function isPostOnly({ requireFlags: required = [] }: Beside): boolean {
  return required.includes("post_only")
}

const targetAddresses: Matcher<readonly Address[], Subject, "target_address_not_allowed"> = {
  key: "target_addresses",
  schema: () => listOf(addressText),
  written: "list of addresses",
  meaning: "Accounts that the request operates: its target_address, or else its signer.",
  example: ["0x2222222222222222222222222222222222222222"],
  reason: "target_address_not_allowed",
  fits: (addresses, { request }) => addresses.includes(accountOf(request)),
  asked: ({ request }) => accountOf(request),
  allowed: (addresses) => addresses.join(", "),
  form: sorted,
  narrowedBy: "fewer",
}

/** The account that a request operates: its target, or else its signer. */
export function accountOf({ target, key }: JudgedRequest): Address {
  return target ?? key.address
}

const label = patternMatcher({
  key: "label",
  meaning: "A regular expression for approveAgent's whole label.",
  example: "bot-[0-9]+",
  unreadable: "another operation's: unreadable",
  reason: "label_not_allowed",
  speaksOf: new Set(["approveAgent"]),
  // Only approveAgent's label is documented; another operation's is read by `where`.
  read: ({ request }: Subject) =>
    request.payload.kind === "approve_agent" ? [request.payload.approval.label] : undefined,
})

/** Every matcher of a request as a whole, in the order in which a rule asks them. */
const ofRequests = { targetAddresses, label, hours, where }

const all = { ...ofOrders, ...ofRequests }
type Table = typeof all

/** What an entry asks, by the names of the matchers. An absent matcher asks nothing. */
export type Matchers = {
  readonly [Name in keyof Table]?: z.output<ReturnType<Table[Name]["schema"]>> | undefined
}

/** Why a rule refuses what doesn't fit a matcher. */
export type MatcherReason = Table[keyof Table]["reason"]
export const matcherReasons = Object.values(all).map(({ reason }): MatcherReason => reason)

/** A matcher and its name in an entry. */
export type Named<On> = readonly [keyof Matchers, Matcher<unknown, On, MatcherReason>]

export const orderMatchers = Object.entries(ofOrders) as readonly Named<JudgedOrder>[]
export const requestMatchers = Object.entries(ofRequests) as readonly Named<Subject>[]
export const allMatchers: readonly Named<never>[] = [...orderMatchers, ...requestMatchers]

/** Whether an entry asks anything of orders. */
export function usesOrderMatchers(asked: Matchers): boolean {
  return orderMatchers.some(([name]) => asked[name] !== undefined)
}

/** Calls `use` for each matcher that an entry has, and returns the results. */
export function mapAsked<Result>(
  asked: Matchers,
  use: (matcher: Matcher<unknown, never>, value: unknown) => Result,
): readonly Result[] {
  return allMatchers
    .filter(([name]) => asked[name] !== undefined)
    .map(([name, matcher]) => use(matcher, asked[name]))
}
