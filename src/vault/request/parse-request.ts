import type { BotParams } from "../../link/calls/methods.ts"
import type { Refusal } from "../../contract/refusal.ts"
import { nearestWord } from "../../std/nearest-word.ts"
import { err, ok, type Result } from "../../std/result.ts"
import { parseAddress, type Address } from "../../venue/address.ts"
import {
  type FieldError,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  maxJsonDepth,
  parseStrictJson,
  pointerTo,
} from "../../venue/json.ts"
import { laneOf, parsePayload, signingFieldOf } from "../../venue/payload/parse-payload.ts"
import type { Lane, Payload } from "../../venue/payload/payload.ts"
import type { Disclosed, Endpoint, Signing } from "../../venue/profile.ts"
import { canonicalJson, type Parties, type StructType } from "../../venue/signing-hash.ts"
import { type ActiveSet, viewOf } from "../active/active-set.ts"
import type { Client, KeyEntry } from "../ledger/records/bindings.ts"
import type { IdempotencyKey } from "../ledger/records/idempotency.ts"
import { hashToken, pickKey } from "./authorize.ts"
import { invalidRequest } from "./refuse.ts"

/** A request that has been read and whose key is known. Frozen; the record, the hash and the outgoing body come from it. */
export type ParsedRequest = {
  readonly endpoint: Endpoint
  readonly signing: Signing
  /** The `Agent` layout that a Type A request is signed with. */
  readonly agentStruct: StructType
  readonly business: JsonObject
  /** Canonical JSON of the business fields: what is recorded, and for Type A what is hashed. */
  readonly canonical: string
  readonly payload: Payload
  readonly lane: Lane
  readonly key: KeyEntry
  readonly parties: Parties
  readonly ttlMs: number
}

export type BodyCall = Pick<
  BotParams["check"],
  "path" | "body" | "key" | "expiresIn" | "idempotencyKey" | "check"
>

/** A call whose body is the bot's bytes in base64 or, in a batch, what was read of them already. */
type ParsableCall = Omit<BodyCall, "body"> & {
  readonly body: string | { readonly parsed: JsonValue }
}

/** A call for a signature. */
export type SignCall = ParsableCall & Pick<BotParams["sign"], "token" | "purpose" | "traceparent">

/** Parses, validates and picks the key: all that comes before judging. Signing and checking share it. */
export function parseRequest(
  call: ParsableCall,
  client: Client,
  set: ActiveSet,
): Result<ParsedRequest, Refusal> {
  const endpoint = set.profile.endpointByPath.get(call.path)
  if (endpoint === undefined) return err(unknownEndpoint(call.path, set))

  const split = splitBody(call.body)
  if (!split.ok) return split
  const signing = disclosed(endpoint, endpoint.signing)
  if (!signing.ok) return signing
  const payload = parsePayload(endpoint, split.value.business, set.profile)
  if (!payload.ok) return err(invalidRequest(payload.error))

  const picked = pickKey(
    { client, header: call.key, split: split.value, endpoint, signing: signing.value },
    set,
  )
  if (!picked.ok) return picked
  const agentStruct = agentLayout(endpoint, picked.value.parties, set)
  if (!agentStruct.ok) return agentStruct
  const ttlMs = timeToLive(call.expiresIn, signing.value, set)
  if (!ttlMs.ok) return ttlMs

  const { business } = split.value
  return ok(
    Object.freeze({
      endpoint,
      signing: signing.value,
      agentStruct: agentStruct.value,
      business,
      canonical: canonicalJson(business, set.profile.canonicalForm),
      payload: payload.value,
      lane: laneOf(endpoint, payload.value, set.profile),
      ...picked.value,
      ttlMs: ttlMs.value,
    }),
  )
}

function agentLayout(
  endpoint: Endpoint,
  { target }: Parties,
  { profile: { agentStruct, agentStructWithTarget } }: ActiveSet,
): Result<StructType, Refusal> {
  return target === undefined ? ok(agentStruct) : disclosed(endpoint, agentStructWithTarget)
}

function disclosed<T>(endpoint: Endpoint, what: Disclosed<T>): Result<T, Refusal> {
  if (what.known) return ok(what.value)
  return err({
    code: what.code,
    message: `The venue's interface doesn't tell how ${endpoint.id} is signed here; add to venue.yaml, from the venue's own documentation: ${what.addLine}`,
    data: { endpoint: endpoint.id, add_line: what.addLine },
  })
}

function unknownEndpoint(path: string, { profile }: ActiveSet): Refusal {
  const nearest = nearestWord(path, profile.endpointByPath.keys())
  const hint = nearest === undefined ? "." : `; did you mean ${nearest}?`
  return {
    code: "unknown_endpoint",
    message: `The venue's interface has no write endpoint with this path${hint}`,
    data: { path },
  }
}

/** `Countersign-Expires-In` shortens the configured validity; it can't lengthen it. */
function timeToLive(
  header: string | undefined,
  signing: Signing,
  { config }: ActiveSet,
): Result<number, Refusal> {
  const { trade, typeB } = config.expiresInMs
  const longestMs = signing.type === "B" ? typeB : trade
  if (header === undefined) return ok(longestMs)
  const ms = /^[1-9]\d{0,8}$/.test(header) ? Number(header) : undefined
  if (ms !== undefined && ms <= longestMs) return ok(ms)
  return err({
    code: "invalid_header",
    message: `Countersign-Expires-In must be whole milliseconds from 1 to ${longestMs}.`,
    data: { header: "Countersign-Expires-In" },
  })
}

/**
 * The key that has to be looked up for a call before anything is decided. By the time that is done other
 * files may be in force, so this is for the look-up alone.
 */
export function keyToLookUp(call: SignCall, set: ActiveSet): IdempotencyKey | undefined {
  const client = set.clientByTokenHash.get(hashToken(call.token))
  if (client === undefined) return undefined
  const key = headerKey(client.name, call)
  if (key !== undefined || client.idempotency_by === undefined) return key
  const read = parseRequest(call, client, viewOf(client.keys[0], set))
  return read.ok ? keyOf(call, client, read.value) : undefined
}

/** The header `Countersign-Check` or `Idempotency-Key`; without them, for a client that was added so, an order's `client_order_id`. */
export function keyOf(
  call: Pick<BodyCall, "idempotencyKey" | "check">,
  { name, idempotency_by }: Client,
  request: ParsedRequest,
): IdempotencyKey | undefined {
  const named = headerKey(name, call)
  if (named !== undefined || idempotency_by === undefined) return named
  const key = request.endpoint.id === "placeOrder" ? clientOrderIdOf(request) : undefined
  return key === undefined ? undefined : { client: name, by: "client_order_id", key }
}

/** The `client_order_id` of a request that makes a single order. */
export function clientOrderIdOf({ payload }: ParsedRequest): string | undefined {
  if (payload.kind !== "orders" || payload.form !== "single") return undefined
  return payload.orders[0]?.clientOrderId
}

function headerKey(
  client: string,
  { check, idempotencyKey: key }: Parameters<typeof keyOf>[0],
): IdempotencyKey | undefined {
  if (check !== undefined) return { client, by: "check", key: check }
  return key === undefined ? undefined : { client, by: "header", key }
}

/** A bot's body: what it wants done, apart from who signs and for whom. */
type SplitBody = {
  readonly signer: Address | undefined
  readonly target: Address | undefined
  /** The business fields, frozen. */
  readonly business: JsonObject
}

/** Reads a bot's bytes, once. This is the only place where a body that comes alone becomes a value. */
export function splitBody(sent: ParsableCall["body"]): Result<SplitBody, Refusal> {
  const parsed = typeof sent === "string" ? parseBody(Buffer.from(sent, "base64")) : ok(sent.parsed)
  if (!parsed.ok) return parsed
  const body = parsed.value
  if (!isJsonObject(body)) {
    const message = "the body must be a JSON object"
    return err(invalidRequest([{ path: "", rule: "object", message }]))
  }
  const signer = parseParty(body, "signer_address")
  const target = parseParty(body, "target_address")
  const errors = [...suppliedFields(body), ...errorsOf(signer), ...errorsOf(target)]
  if (!signer.ok || !target.ok || errors.length > 0) return err(invalidRequest(errors))
  return ok({ business: businessFields(body), signer: signer.value, target: target.value })
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
  if (!readHere.some((name) => Object.hasOwn(body, name))) return body
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
