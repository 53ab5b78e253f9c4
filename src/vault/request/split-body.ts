import type { Refusal } from "../../link/views/refusal.ts"
import { err, ok, type Result } from "../../std/result.ts"
import { parseAddress, type Address } from "../../venue/address.ts"
import {
  pointerTo,
  type FieldError,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  maxJsonDepth,
  parseStrictJson,
} from "../../venue/json.ts"
import { signingFieldOf } from "../../venue/payload/check-fields.ts"

/** A bot's body: what it wants done, apart from who signs and for whom. */
export type SplitBody = {
  /** The business fields, frozen. */
  readonly business: JsonObject
  readonly signer: Address | undefined
  readonly target: Address | undefined
}

/** Reads a bot's bytes, once. This is the only place where a body that comes alone becomes a value. */
export function splitBody(bytes: Uint8Array): Result<SplitBody, Refusal> {
  const parsed = parseBody(bytes)
  return parsed.ok ? splitParsed(parsed.value) : parsed
}

/** As {@link splitBody}, of a body that was read already, as part of a batch. */
export function splitParsed(body: JsonValue): Result<SplitBody, Refusal> {
  if (!isJsonObject(body)) {
    return err(
      invalidRequest([{ path: "", rule: "object", message: "the body must be a JSON object" }]),
    )
  }
  const signer = parseParty(body, "signer_address")
  const target = parseParty(body, "target_address")
  const errors = [...suppliedFields(body), ...errorsOf(signer), ...errorsOf(target)]
  if (!signer.ok || !target.ok || errors.length > 0) return err(invalidRequest(errors))
  return ok({ business: businessFields(body), signer: signer.value, target: target.value })
}

/** The longest path that a refusal quotes: a bot's keys must not make an answer that no frame holds. */
const maxPathUnits = 120

/** One refusal for all the broken rules of a body, its message being the first one's. */
export function invalidRequest(broken: readonly FieldError[]): Refusal {
  const errors = broken.map((error) => ({ ...error, path: clip(error.path) }))
  const first = errors[0]
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more in data.errors)` : ""
  const message =
    first === undefined ? "the body is invalid" : `${first.path || "body"}: ${first.message}${more}`
  return { code: "invalid_request", message, data: { errors } }
}

function clip(path: string): string {
  return path.length > maxPathUnits ? `${path.slice(0, maxPathUnits)}…` : path
}

const readHere: readonly string[] = ["signer_address", "target_address"]

/** Also under a name that a careless reader takes for a signing field: it would stand beside the real one. */
function suppliedFields(body: JsonObject): readonly FieldError[] {
  return Object.keys(body).flatMap((name): readonly FieldError[] => {
    const field = signingFieldOf(name)
    if (field === undefined || (name === field && readHere.includes(name))) return []
    const path = pointerTo("", name)
    const message = `leave ${name} out; the daemon fills it in`
    if (name === field) return [{ path, rule: "signing_field_supplied", message }]
    const spelling = `another spelling of ${field}; leave it out, or write ${field}`
    return [{ path, rule: "signing_field_misspelt", message: spelling }]
  })
}

function businessFields(body: JsonObject): JsonObject {
  const business = Object.create(null) as Record<string, JsonValue>
  for (const [name, value] of Object.entries(body)) {
    if (!readHere.includes(name)) business[name] = value
  }
  return Object.freeze(business)
}

function parseParty(body: JsonObject, name: string): Result<Address | undefined, FieldError> {
  if (!Object.hasOwn(body, name)) return ok(undefined)
  const value = body[name]
  const address = typeof value === "string" ? parseAddress(value) : undefined
  if (address !== undefined) return ok(address)
  return err({
    path: pointerTo("", name),
    rule: "address",
    message: `${name} must be an address: 0x and 40 hex digits, with the right checksum if the case is mixed`,
  })
}

function errorsOf(result: Result<unknown, FieldError>): readonly FieldError[] {
  return result.ok ? [] : [result.error]
}

/** Parses a bot's bytes, or refuses with the place where they stop being JSON. */
export function parseBody(bytes: Uint8Array, maxDepth = maxJsonDepth): Result<JsonValue, Refusal> {
  const parsed = parseStrictJson(bytes, maxDepth)
  if (parsed.ok) return parsed
  const { message, offset } = parsed.error
  return err({ code: "invalid_json", message, data: { offset } })
}
