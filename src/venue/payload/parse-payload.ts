import { utf8 } from "../../std/bytes.ts"
import { err, ok, type Result } from "../../std/result.ts"
import { isBatch } from "../builtin-profile.ts"
import {
  type FieldError,
  type JsonObject,
  pointerTo,
  isJsonObject,
  type JsonValue,
  findAt,
  parsePointer,
  type JsonArray,
  foldName,
} from "../json.ts"
import {
  cancelIds,
  type Endpoint,
  type OperationId,
  type PayloadShape,
  type Profile,
} from "../profile.ts"
import {
  fieldError,
  missingField,
  unknownField,
  wrongType,
  orderFields,
  type Lane,
  type Order,
  type Payload,
} from "./payload.ts"
import { parseOrder, type Spot } from "./parse-order.ts"
import { parseApproveAgent, checkStructBody } from "./struct-body.ts"

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
      return parseSingleOrder(body, endpoint, profile)
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

/** Parses the body of placeOrder, or an order that also has the id of the order that it changes. */
function parseSingleOrder(
  body: JsonObject,
  { shape, extraFields }: Endpoint,
  profile: Profile,
): Parsed {
  const alsoAllowed = [...extraFields, ...orderExtraFields(profile)]
  const orderId = shape.kind === "order_with_id" ? shape.orderId : undefined
  const order = parseItem(body, { path: "", orderId, alsoAllowed, profile })
  if (!order.ok) return order
  return ok({ kind: "orders", orders: Object.freeze([order.value]), form: "single" })
}

/** Parses a batch of orders. Each order is parsed in full. */
function parseOrderList(
  body: JsonObject,
  {
    endpoint,
    shape,
    profile,
  }: {
    readonly endpoint: Endpoint
    readonly shape: Extract<PayloadShape, { readonly kind: "order_list" }>
    readonly profile: Profile
  },
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

/** An extra field of placeOrder is allowed in the orders of batches and changes too. */
function orderExtraFields(profile: Profile): readonly string[] {
  return profile.endpoints.get("placeOrder")?.extraFields ?? []
}

function parseItem(
  item: JsonValue,
  context: Spot & {
    /** The pointer to the id of the order that the item changes; `undefined` if the item is a new order. */
    readonly orderId: string | undefined
    readonly profile: Profile
  },
): Parsed<Order> {
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

const cancels: ReadonlySet<OperationId> = new Set(cancelIds)

/** Whether an operation takes orders away and makes none. */
export function isCancel(id: OperationId): boolean {
  return cancels.has(id)
}

/** The only operations for which the interface says that an order's flags apply. */
const heedsFlags: ReadonlySet<OperationId> = new Set<OperationId>(["placeOrder", "placeBatch"])

/** The lane of a request. It is `reduce` only if every order in it can be read and can only reduce. */
export function laneOf(endpoint: Endpoint, payload: Payload, profile: Profile): Lane {
  if (isCancel(endpoint.id)) return "cancel"
  if (payload.kind !== "orders" || payload.orders.length === 0) return "open"
  return payload.orders.every((order) => onlyReduces(endpoint, order, profile)) ? "reduce" : "open"
}

/** Whether an order that a request of this endpoint makes can only close positions. */
export function onlyReduces(endpoint: Endpoint, order: Order, { symbols }: Profile): boolean {
  const { algoOrderType } = order
  return (
    (heedsFlags.has(endpoint.id) || endpoint.appliesFlags) &&
    order.flags.includes("reduce_only") &&
    order.tpsl === undefined && // legs have no flags, so they might open a position
    (algoOrderType === undefined || algoOrderType === "conditional") &&
    symbols.byId.get(order.symbolId)?.market === "perp"
  )
}

/** The fields that say who signs and until when. They are never business fields. */
export const signingFields: readonly string[] = [
  "signer_address",
  "target_address",
  "nonce",
  "expires_after",
  "signature",
]

const folded = new Map(signingFields.map((name) => [foldName(name), name]))

/** The signing field that a name means; a careless reader might ignore case and punctuation. */
export function signingFieldOf(name: string): string | undefined {
  return folded.get(foldName(name))
}

/** The longest body of a cancel whose fields venue.yaml doesn't list. */
export const maxOpenCancelBytes = 4_096

/** The fields that name an order; orders and cancels both have them. */
const shared = ["symbol_id", "client_order_id"]
/** Other venues say `side` for `is_buy`. */
const ofOrders = new Set(
  ["side", ...orderFields.map(({ name }) => name)]
    .filter((name) => !shared.includes(name))
    .map(foldName),
)

/**
 * Checks the body of a cancel. A cancel passes freezes and limits, and only the action tag in venue.yaml tells it from
 * an order, because the interface shows no body of one. If venue.yaml lists its `fields`, any other name is refused, at
 * any depth. If not, names that only orders have are refused, and long bodies.
 */
function checkCancelBody(endpoint: Endpoint, body: JsonObject): readonly FieldError[] {
  const { fields, shape, extraFields } = endpoint
  const found = namesIn(body, "")
  if (fields !== undefined) {
    const items = shape.kind === "item_list" ? (parsePointer(shape.items) ?? []) : []
    const known = new Set([...fields, ...extraFields, ...items])
    return found.filter(({ name }) => !known.has(name)).map(({ path }) => unknownField(path))
  }
  const own = found.filter(({ name }) => ofOrders.has(foldName(name)))
  const isLong = utf8(JSON.stringify(body)).length > maxOpenCancelBytes
  const message = `only orders have this field; leave it out, or list the fields of ${endpoint.id} in venue.yaml`
  const tooLarge = `a cancel has at most ${maxOpenCancelBytes} bytes unless venue.yaml lists the fields of ${endpoint.id}`
  return [
    ...own.map(({ path }) => fieldError(path, "field_of_orders", message)),
    ...(isLong ? [fieldError("", "too_large", tooLarge)] : []),
  ]
}

/** The name of every field at every depth. */
function namesIn(
  value: JsonValue,
  path: string,
): readonly { readonly name: string; readonly path: string }[] {
  if (typeof value !== "object" || value === null) return []
  return Object.entries<JsonValue>(value).flatMap(([name, inner]) => {
    const at = pointerTo(path, name)
    const below = namesIn(inner, at)
    return Array.isArray(value) ? below : [{ name, path: at }, ...below]
  })
}
