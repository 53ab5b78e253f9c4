import { deepFreeze } from "../../std/deep-freeze.ts"
import { err, ok, type Result } from "../../std/result.ts"
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
import type { Endpoint, Profile, PayloadShape } from "../profile.ts"
import { parseApproveAgent } from "./approve-agent.ts"
import { missingField, unknownField, wrongType } from "./check-fields.ts"
import { fieldError } from "./field-rules.ts"
import type { Payload, Order } from "./payload.ts"
import { parseOrder } from "./place-order.ts"
import { checkStructBody } from "./struct-body.ts"

/** The most errors that one answer tells, so that a body of rubbish doesn't get an even longer answer. */
export const maxFieldErrors = 100

/** Reads the business fields of a request as far as the profile knows their shape. What it returns is frozen. */
export function parsePayload(
  endpoint: Endpoint,
  body: JsonObject,
  profile: Profile,
): Result<Payload, readonly FieldError[]> {
  const read = readShape(endpoint, body, profile)
  return read.ok ? ok(deepFreeze(read.value)) : err(read.error.slice(0, maxFieldErrors))
}

type Read = Result<Payload, readonly FieldError[]>

function readShape(endpoint: Endpoint, body: JsonObject, profile: Profile): Read {
  const { shape } = endpoint
  switch (shape.kind) {
    case "order":
      return readOrder(body, endpoint, profile)
    case "order_with_id":
      return readOrderWithId(body, { endpoint, shape, profile })
    case "order_list":
      return readOrderList(body, { endpoint, shape, profile })
    case "item_list":
      return readItemList(body, endpoint, shape.items)
    case "approve_agent":
      return readApproval(body, profile)
    case "struct":
      return readStruct(body, endpoint, profile)
    case "opaque":
      return ok({ kind: "opaque", batchLength: 1 })
  }
}

function readItemList(body: JsonObject, endpoint: Endpoint, pointer: string): Read {
  const items = readItems(body, pointer, endpoint.extraFields)
  return items.ok ? ok({ kind: "opaque", batchLength: items.value.length }) : items
}

function readApproval(body: JsonObject, profile: Profile): Read {
  const approval = parseApproveAgent(body, profile.typeB)
  return approval.ok ? ok({ kind: "approve_agent", approval: approval.value }) : approval
}

/** The vault refuses an undisclosed operation before; without a struct there is nothing to read by. */
function readStruct(body: JsonObject, { signing }: Endpoint, profile: Profile): Read {
  if (!signing.known || signing.value.type !== "B") {
    return err([fieldError("", "undisclosed", "add the operation's struct to venue.yaml")])
  }
  const errors = checkStructBody(signing.value.struct, body, profile.typeB)
  return errors.length > 0 ? err(errors) : ok({ kind: "struct" })
}

type ReadOrdersRead<Value> = Result<Value, readonly FieldError[]>
type Shaped<Kind extends PayloadShape["kind"]> = {
  readonly endpoint: Endpoint
  readonly shape: Extract<PayloadShape, { readonly kind: Kind }>
  readonly profile: Profile
}

/** Reads the body of placeOrder. */
export function readOrder(
  body: JsonObject,
  endpoint: Endpoint,
  profile: Profile,
): ReadOrdersRead<Payload> {
  const order = parseOrder(body, { path: "", alsoAllowed: endpoint.extraFields }, profile.symbols)
  return order.ok ? ok(single(order.value)) : order
}

/** Reads a body that is an order and, beside it, the id of the order that it changes. */
export function readOrderWithId(
  body: JsonObject,
  { endpoint, shape, profile }: Shaped<"order_with_id">,
): ReadOrdersRead<Payload> {
  const alsoAllowed = [...endpoint.extraFields, ...orderExtraFields(profile)]
  const order = readItem(body, { path: "", orderId: shape.orderId, alsoAllowed, profile })
  return order.ok ? ok(single(order.value)) : order
}

/** Reads a batch of orders, each of them in full. */
export function readOrderList(
  body: JsonObject,
  { endpoint, shape, profile }: Shaped<"order_list">,
): ReadOrdersRead<Payload> {
  const items = readItems(body, shape.items, endpoint.extraFields)
  if (!items.ok) return items
  const alsoAllowed = orderExtraFields(profile)
  const orders: Order[] = []
  const errors: FieldError[] = []
  for (const [index, item] of items.value.entries()) {
    const path = pointerTo(shape.items, index)
    const order = readItem(item, { path, orderId: shape.orderId, alsoAllowed, profile })
    if (order.ok) orders.push(order.value)
    else errors.push(...order.error)
  }
  return errors.length > 0 ? err(errors) : ok({ kind: "orders", orders, form: "batch" })
}

function single(order: Order): Payload {
  return { kind: "orders", orders: [order], form: "single" }
}

/** What the venue added to its orders, it added to those in a batch or a change too. */
function orderExtraFields(profile: Profile): readonly string[] {
  return profile.endpoints.get("placeOrder")?.extraFields ?? []
}

type ItemContext = {
  readonly path: string
  /** Where the item holds the id of the order that it changes; `undefined` if it makes a new one. */
  readonly orderId: string | undefined
  readonly alsoAllowed: readonly string[]
  readonly profile: Profile
}

function readItem(item: JsonValue, context: ItemContext): ReadOrdersRead<Order> {
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

/** The longest batch that is read. The interface names no bound; this one keeps one request's work small. */
export const maxBatchItems = 100

/** Finds the items of a batch and refuses every other field but `extraFields`. */
export function readItems(
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
