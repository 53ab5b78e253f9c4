import { utf8 } from "../../std/bytes.ts"
import {
  foldName,
  pointerTo,
  type FieldError,
  type JsonObject,
  type JsonValue,
  parsePointer,
} from "../json.ts"
import type { Endpoint } from "../profile.ts"
import { fieldError, unknownField } from "./field-rules.ts"
import { orderFields } from "./order-fields.ts"

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
export function checkCancelBody(endpoint: Endpoint, body: JsonObject): readonly FieldError[] {
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
  return [
    ...own.map(({ path }) => fieldError(path, "field_of_orders", message)),
    ...(isLong ? [tooLarge(endpoint)] : []),
  ]
}

function tooLarge({ id }: Endpoint): FieldError {
  const message = `a cancel has at most ${maxOpenCancelBytes} bytes unless venue.yaml lists the fields of ${id}`
  return fieldError("", "too_large", message)
}

type Named = { readonly name: string; readonly path: string }

/** The name of every field at every depth. */
function namesIn(value: JsonValue, path: string): readonly Named[] {
  if (typeof value !== "object" || value === null) return []
  return Object.entries<JsonValue>(value).flatMap(([name, inner]) => {
    const at = pointerTo(path, name)
    const below = namesIn(inner, at)
    return Array.isArray(value) ? below : [{ name, path: at }, ...below]
  })
}
