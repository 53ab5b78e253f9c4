import type { z } from "zod"

import { operationIds, type OperationId, type SymbolTable } from "../../../venue/profile.ts"
import { usesOrderMatchers } from "../match/matchers.ts"
import { orderMakingOperations } from "../terms/judged-order.ts"
import type { Entry } from "../terms/policy.ts"
import { contradictionsOf } from "./contradictions.ts"
import { described, required, tell } from "./described.ts"
import { hours } from "./hours-schema.ts"
import {
  addressText,
  listOf,
  listOfWords,
  pattern,
  policyName,
  symbolRef,
} from "./policy-scalars.ts"
import { fieldCondition } from "./where-schema.ts"

/** The keys that entries of every list have. */
export function matcherShape(symbols: SymbolTable) {
  return { ...entryShape, ...orderShape(symbols), ...requestShape }
}

const entryShape = {
  name: required(
    policyName,
    "The entry's name in refusals, records and commands, unique in its file.",
    "quote",
  ),
  endpoints: described(listOfWords(operationIds), "The operations that the entry covers.", [
    "placeOrder",
    "placeBatch",
  ]),
}

const requestShape = {
  target_addresses: described(
    listOf(addressText),
    "Accounts that the request operates: its target_address, or else its signer.",
    ["0x2222222222222222222222222222222222222222"],
  ),
  label: described(pattern, "A regular expression for approveAgent's whole label.", "bot-[0-9]+"),
  hours: described(hours, "The hours in which the entry matches.", {
    zone: "Europe/Berlin",
    days: ["mon", "tue", "wed", "thu", "fri"],
    from: "08:00",
    to: "18:00",
  }),
  where: described(
    listOf(fieldCondition),
    "Conditions on fields of the body, all of which must hold.",
    [{ pointer: "/amount", max: "10" }],
  ),
}

function orderShape(symbols: SymbolTable) {
  return {
    symbols: described(
      listOf(symbolRef(symbols)),
      "Symbols of the order, by their names in venue.yaml or by their ids.",
      ["BTC-PERP", "ETH-PERP"],
    ),
    ...kindShape,
    ...positionShape,
    client_order_id: described(
      pattern,
      "A regular expression for the whole client_order_id; an order without one doesn't match.",
      "mm-[0-9a-f]+",
    ),
  }
}

const flags = listOfWords(["post_only", "reduce_only"])

const kindShape = {
  sides: described(listOfWords(["buy", "sell"]), "Sides of the order.", ["buy"]),
  order_types: described(listOfWords(["limit", "market"]), "Types of the order.", ["limit"]),
  time_in_force: described(
    listOfWords(["gtc", "fok", "ioc"]),
    "Times in force of the order; a limit order without one is gtc.",
    ["gtc"],
  ),
  require_flags: described(flags, "Flags that the order must all have.", ["post_only"]),
  forbid_flags: described(flags, "Flags of which the order must have none.", ["reduce_only"]),
  algo_order_types: described(
    listOfWords(["conditional", "tpsl", "attached_tpsl", "none"]),
    "Algo types of the order; none is an order without algo_order_type.",
    ["none"],
  ),
}

const positionShape = {
  position_sides: described(
    listOfWords(["both", "long", "short"]),
    "Position sides of the order; left out on a perpetual it can't be read.",
    ["both"],
  ),
  margin_modes: described(
    listOfWords(["cross", "isolated"]),
    "Margin modes of the order; left out on a perpetual it can't be read.",
    ["isolated"],
  ),
  stp_modes: described(
    listOfWords(["cancel_maker", "cancel_taker", "cancel_both", "none"]),
    "Self-trade preventions of the order; an order without one is cancel_maker.",
    ["cancel_maker", "cancel_both"],
  ),
}

type WrittenMatchers = z.infer<z.ZodObject<ReturnType<typeof matcherShape>>>

/** The matchers as they are judged. Tells those that nothing can meet together. */
export function matchersOf(written: WrittenMatchers, context: z.RefinementCtx): Entry["matchers"] {
  const matchers = {
    symbols: written.symbols,
    sides: written.sides,
    orderTypes: written.order_types,
    timeInForce: written.time_in_force,
    requireFlags: written.require_flags,
    forbidFlags: written.forbid_flags,
    positionSides: written.position_sides,
    marginModes: written.margin_modes,
    stpModes: written.stp_modes,
    algoOrderTypes: written.algo_order_types,
    clientOrderId: written.client_order_id,
    targetAddresses: written.target_addresses,
    label: written.label,
    hours: written.hours,
    where: written.where,
  }
  for (const { key, message } of contradictionsOf(matchers)) tell(context, message, key)
  return matchers
}

/** What an entry speaks of besides its `endpoints`. */
export type Speech = { readonly orders: boolean; readonly labels: boolean }

/** What matchers speak of, and what else an entry has. */
export function speechOf(
  matchers: Entry["matchers"],
  others: { readonly speakOfOrders: boolean },
): Speech {
  return {
    orders: usesOrderMatchers(matchers) || others.speakOfOrders,
    labels: matchers.label !== undefined,
  }
}

/** What an entry covers: its endpoints, or what its other keys speak of, or everything. */
export function operationsOf(
  endpoints: readonly OperationId[] | undefined,
  speech: Speech,
  context: z.RefinementCtx,
): ReadonlySet<OperationId> {
  if (endpoints !== undefined) return new Set(endpoints)
  if (speech.labels && speech.orders) {
    tell(context, "nothing matches: label speaks of approveAgent, other keys of orders", "label")
  }
  if (speech.labels) return new Set<OperationId>(["approveAgent"])
  return speech.orders ? orderMakingOperations : new Set(operationIds)
}
