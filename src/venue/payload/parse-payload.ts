import * as fields from "./order-fields.ts"
import { err, ok, type Result } from "../../std/result.ts"
import { parseDecimal, type Decimal } from "../decimal.ts"
import {
  type FieldError,
  type JsonObject,
  pointerTo,
  isJsonObject,
  type JsonValue,
  findAt,
  parsePointer,
  type JsonArray,
} from "../json.ts"
import { isBatch } from "../endpoints.ts"
import type { Endpoint, Profile, PayloadShape } from "../profile.ts"
import { parseApproveAgent } from "./approve-agent.ts"
import { checkCancelBody } from "./cancel-body.ts"
import { checkFields, missingField, unknownField, wrongType, type Spot } from "./check-fields.ts"
import { fieldError } from "./field-rules.ts"
import { isCancel } from "./lane.ts"
import type { Payload, Order, OrderLeg } from "./payload.ts"
import { objectAt, brokenOrderRules } from "./order-rules.ts"
import { checkStructBody } from "./struct-body.ts"

/** The most errors in one answer. It bounds the answer to a body that is all wrong. */
export const maxFieldErrors = 100

/** Parses the business fields of a request as far as the profile knows their shape. The result is deeply frozen. */
export function parsePayload(
  endpoint: Endpoint,
  body: JsonObject,
  profile: Profile,
): Result<Payload, readonly FieldError[]> {
  const read = parseShape(endpoint, body, profile)
  return read.ok ? ok(Object.freeze(read.value)) : err(read.error.slice(0, maxFieldErrors))
}

type Parsed<Value = Payload> = Result<Value, readonly FieldError[]>

function parseShape(endpoint: Endpoint, body: JsonObject, profile: Profile): Parsed {
  const { shape } = endpoint
  const notCancel = isCancel(endpoint.id) ? checkCancelBody(endpoint, body) : []
  if (notCancel.length > 0) return err(notCancel)
  switch (shape.kind) {
    case "order":
      return parseSingleOrder(body, endpoint, profile)
    case "order_with_id":
      return parseOrderWithId(body, { endpoint, shape, profile })
    case "order_list":
      return parseOrderList(body, { endpoint, shape, profile })
    case "item_list":
      return parseItemList(body, endpoint, shape.items)
    case "approve_agent":
      return parseApproval(body, profile)
    case "struct":
      return parseStruct(body, endpoint, profile)
    case "opaque":
      return ok(opaquePayload(endpoint, body))
  }
}

/** A body that isn't parsed. A batch counts as the most items that fit: each takes a character and a comma. */
export function opaquePayload({ id }: Endpoint, body: JsonObject): Payload {
  const batchLength = isBatch(id) ? Math.ceil(JSON.stringify(body).length / 2) : 1
  return { kind: "opaque", batchLength }
}

function parseItemList(body: JsonObject, endpoint: Endpoint, pointer: string): Parsed {
  const items = parseItems(body, pointer, endpoint.extraFields)
  return items.ok ? ok({ kind: "opaque", batchLength: items.value.length }) : items
}

function parseApproval(body: JsonObject, profile: Profile): Parsed {
  const approval = parseApproveAgent(body, profile.typeB)
  return approval.ok ? ok({ kind: "approve_agent", approval: approval.value }) : approval
}

/** The vault has refused undisclosed operations already. Without a struct nothing can be parsed. */
function parseStruct(body: JsonObject, { signing }: Endpoint, profile: Profile): Parsed {
  if (!signing.known || signing.value.type !== "B") {
    return err([fieldError("", "undisclosed", "add the operation's struct to venue.yaml")])
  }
  const errors = checkStructBody(signing.value.struct, body, profile.typeB)
  return errors.length > 0 ? err(errors) : ok({ kind: "struct" })
}

type Shaped<Kind extends PayloadShape["kind"]> = {
  readonly endpoint: Endpoint
  readonly shape: Extract<PayloadShape, { readonly kind: Kind }>
  readonly profile: Profile
}

/** Parses the body of placeOrder. */
function parseSingleOrder(body: JsonObject, endpoint: Endpoint, profile: Profile): Parsed {
  const order = parseOrder(body, { path: "", alsoAllowed: endpoint.extraFields }, profile.symbols)
  return order.ok ? ok(single(order.value)) : order
}

/** Parses an order that also has the id of the order that it changes. */
function parseOrderWithId(
  body: JsonObject,
  { endpoint, shape, profile }: Shaped<"order_with_id">,
): Parsed {
  const alsoAllowed = [...endpoint.extraFields, ...orderExtraFields(profile)]
  const order = parseItem(body, { path: "", orderId: shape.orderId, alsoAllowed, profile })
  return order.ok ? ok(single(order.value)) : order
}

/** Parses a batch of orders. Each order is parsed in full. */
function parseOrderList(
  body: JsonObject,
  { endpoint, shape, profile }: Shaped<"order_list">,
): Parsed {
  const items = parseItems(body, shape.items, endpoint.extraFields)
  if (!items.ok) return items
  const alsoAllowed = orderExtraFields(profile)
  const orders: Order[] = []
  const errors: FieldError[] = []
  for (const [index, item] of items.value.entries()) {
    const path = pointerTo(shape.items, index)
    const order = parseItem(item, { path, orderId: shape.orderId, alsoAllowed, profile })
    if (order.ok) orders.push(order.value)
    else errors.push(...order.error)
  }
  return errors.length > 0
    ? err(errors)
    : ok({ kind: "orders", orders: Object.freeze(orders), form: "batch" })
}

function single(order: Order): Payload {
  return { kind: "orders", orders: Object.freeze([order]), form: "single" }
}

/** An extra field of placeOrder is allowed in the orders of batches and changes too. */
function orderExtraFields(profile: Profile): readonly string[] {
  return profile.endpoints.get("placeOrder")?.extraFields ?? []
}

type ItemContext = {
  readonly path: string
  /** The pointer to the id of the order that the item changes; `undefined` if the item is a new order. */
  readonly orderId: string | undefined
  readonly alsoAllowed: readonly string[]
  readonly profile: Profile
}

function parseItem(item: JsonValue, context: ItemContext): Parsed<Order> {
  const { path, orderId, profile } = context
  if (!isJsonObject(item)) return err([wrongType(path, "an order, as an object")])
  const idField = parsePointer(orderId ?? "")?.slice(0, 1) ?? []
  const alsoAllowed = [...context.alsoAllowed, ...idField]
  const order = parseOrder(item, { path, alsoAllowed }, profile.symbols)
  const errors = orderId === undefined ? [] : checkOrderId(item, path, orderId)
  if (order.ok) return errors.length > 0 ? err(errors) : order
  return err([...order.error, ...errors])
}

function checkOrderId(item: JsonObject, parent: string, pointer: string): readonly FieldError[] {
  const { value, beside } = findAt(item, pointer)
  const path = `${parent}${pointer}`
  return [...checkId(value, path), ...beside.map((other) => unknownField(`${parent}${other}`))]
}

function checkId(value: JsonValue | undefined, path: string): readonly FieldError[] {
  if (value === undefined) return [missingField(path)]
  if (value === "") return [fieldError(path, "empty", "send the id of the order to change")]
  if (typeof value === "string" || (typeof value === "number" && value >= 0)) return []
  return [wrongType(path, "the order's id, a string or an integer that isn't negative")]
}

/** The most items of a batch. The interface sets no limit; this one bounds the work of one request. */
export const maxBatchItems = 100

/** Finds the items of a batch. Refuses other fields, except `extraFields`. */
function parseItems(
  body: JsonObject,
  pointer: string,
  extraFields: readonly string[],
): Result<JsonArray, readonly FieldError[]> {
  const found = findAt(body, pointer)
  const known = [parsePointer(pointer)?.[0], ...extraFields]
  const unknown = Object.keys(body)
    .filter((name) => !known.includes(name))
    .map((name) => pointerTo("", name))
  const beside = [...unknown, ...found.beside].map((path) => unknownField(path))

  const items = found.value
  if (items === undefined) return err([missingField(pointer), ...beside])
  if (!isJsonArray(items)) return err([wrongType(pointer, "an array"), ...beside])
  const errors = [...checkCount(items, pointer), ...beside]
  return errors.length > 0 ? err(errors) : ok(items)
}

function checkCount(items: JsonArray, pointer: string): readonly FieldError[] {
  if (items.length === 0) return [fieldError(pointer, "empty", "send at least one item")]
  if (items.length <= maxBatchItems) return []
  const message = `send at most ${maxBatchItems} items in one batch, not ${items.length}`
  return [fieldError(pointer, "too_many_items", message)]
}

function isJsonArray(value: unknown): value is JsonArray {
  return Array.isArray(value)
}

/** Parses an order by the interface's tables and rules. Returns all errors at once. */
export function parseOrder(
  body: JsonObject,
  spot: Spot,
  symbols: Profile["symbols"],
): Result<Order, readonly FieldError[]> {
  const symbolId = body["symbol_id"]
  const symbol = typeof symbolId === "number" ? symbols.byId.get(symbolId) : undefined
  const broken = brokenOrderRules(body, symbol)
  const errors = [
    ...checkFields(fields.orderFields, body, spot),
    ...broken.map((error) => ({ ...error, path: `${spot.path}${error.path}` })),
  ]
  const order = orderOf(body)
  return order === undefined || errors.length > 0 ? err(errors) : ok(order)
}

/** `undefined` when a required field can't be read; {@link checkFields} has reported it. */
function orderOf(body: JsonObject): Order | undefined {
  const symbolId = body["symbol_id"]
  const isBuy = body["is_buy"]
  const quantity = decimalOf(body["quantity"])
  if (typeof symbolId !== "number" || typeof isBuy !== "boolean" || quantity === undefined) {
    return undefined
  }
  return Object.freeze({
    clientOrderId: textOf(body["client_order_id"]),
    symbolId,
    isBuy,
    orderType: wordOf(fields.orderTypes, body["order_type"]),
    timeInForce: wordOf(fields.timesInForce, body["time_in_force"]),
    quantity,
    price: decimalOf(body["price"]),
    slippage: decimalOf(body["slippage"]),
    positionSide: wordOf(fields.positionSides, body["position_side"]),
    marginMode: wordOf(fields.marginModes, body["margin_mode"]),
    marketOrderType: wordOf(fields.marketOrderTypes, body["market_order_type"]),
    stpMode: wordOf(fields.stpModes, body["stp_mode"]),
    priceMatch: wordOf(fields.priceMatches, body["price_match"]),
    algoOrderType: wordOf(fields.algoOrderTypes, body["algo_order_type"]),
    conditional: conditionalOf(objectAt(body, "conditional")),
    tpsl: tpslOf(objectAt(body, "tpsl")),
    flags: flagsOf(body["flags"]),
  })
}

function conditionalOf(conditional: JsonObject | undefined): Order["conditional"] {
  const triggerPrice = decimalOf(conditional?.["trigger_price"])
  const triggerBy = wordOf(fields.triggerSources, conditional?.["trigger_by"])
  return triggerPrice && triggerBy && Object.freeze({ triggerPrice, triggerBy })
}

function tpslOf(tpsl: JsonObject | undefined): Order["tpsl"] {
  const mode = wordOf(fields.tpslModes, tpsl?.["tpsl_mode"])
  if (tpsl === undefined || mode === undefined) return undefined
  return Object.freeze({ mode, takeProfit: legOf(tpsl, "tp"), stopLoss: legOf(tpsl, "sl") })
}

function legOf(tpsl: JsonObject, leg: fields.LegName): OrderLeg | undefined {
  const triggerPrice = decimalOf(tpsl[`${leg}_trigger_price`])
  return (
    triggerPrice &&
    Object.freeze({
      triggerPrice,
      triggerBy: wordOf(fields.triggerSources, tpsl[`${leg}_trigger_by`]),
      orderType: wordOf(fields.orderTypes, tpsl[`${leg}_order_type`]),
      orderPrice: decimalOf(tpsl[`${leg}_order_price`]),
    })
  )
}

function flagsOf(value: JsonValue | undefined): Order["flags"] {
  const words: JsonArray = Array.isArray(value) ? value : []
  return Object.freeze(words.flatMap((word) => wordOf(fields.orderFlags, word) ?? []))
}

function decimalOf(value: JsonValue | undefined): Decimal | undefined {
  return typeof value === "string" ? parseDecimal(value) : undefined
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined
}

function wordOf<Word extends string>(
  words: readonly Word[],
  value: JsonValue | undefined,
): Word | undefined {
  return words.find((word) => word === value)
}
