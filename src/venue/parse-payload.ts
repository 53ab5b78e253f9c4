import { deepFreeze } from "../std/deep-freeze.ts"
import { err, ok, type Result } from "../std/result.ts"
import { parseApproveAgent } from "./approve-agent.ts"
import type { FieldError } from "./field-error.ts"
import { fieldError } from "./field-rules.ts"
import type { JsonObject } from "./json.ts"
import type { Payload } from "./payload.ts"
import type { Endpoint, Profile } from "./profile.ts"
import { readItems } from "./read-items.ts"
import { readOrder, readOrderList, readOrderWithId } from "./read-orders.ts"
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
