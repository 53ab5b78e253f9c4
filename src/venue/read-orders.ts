import { err, ok, type Result } from "../std/result.ts"
import { missingField, unknownField, wrongType } from "./check-fields.ts"
import { pointerTo, type FieldError } from "./field-error.ts"
import { fieldError } from "./field-rules.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts"
import { findAt, parsePointer } from "./json-pointer.ts"
import type { Order, Payload } from "./payload.ts"
import { parseOrder } from "./place-order.ts"
import type { Endpoint, PayloadShape, Profile } from "./profile.ts"
import { readItems } from "./read-items.ts"

type Read<Value> = Result<Value, readonly FieldError[]>
type Shaped<Kind extends PayloadShape["kind"]> = {
  readonly endpoint: Endpoint
  readonly shape: Extract<PayloadShape, { readonly kind: Kind }>
  readonly profile: Profile
}

/** Reads the body of placeOrder. */
export function readOrder(body: JsonObject, endpoint: Endpoint, profile: Profile): Read<Payload> {
  const order = parseOrder(body, { path: "", alsoAllowed: endpoint.extraFields }, profile.symbols)
  return order.ok ? ok(single(order.value)) : order
}

/** Reads a body that is an order and, beside it, the id of the order that it changes. */
export function readOrderWithId(
  body: JsonObject,
  { endpoint, shape, profile }: Shaped<"order_with_id">,
): Read<Payload> {
  const alsoAllowed = [...endpoint.extraFields, ...orderExtraFields(profile)]
  const order = readItem(body, { path: "", orderId: shape.orderId, alsoAllowed, profile })
  return order.ok ? ok(single(order.value)) : order
}

/** Reads a batch of orders, each of them in full. */
export function readOrderList(
  body: JsonObject,
  { endpoint, shape, profile }: Shaped<"order_list">,
): Read<Payload> {
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

function readItem(item: JsonValue, context: ItemContext): Read<Order> {
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
