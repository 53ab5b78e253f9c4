import type { BotParams } from "../link/methods.ts"
import type { Refusal } from "../link/refusal.ts"
import { err, ok, type Result } from "../std/result.ts"
import { parsePayload } from "../venue/parse-payload.ts"
import type { Payload } from "../venue/payload.ts"
import type { Disclosed, Endpoint, Parties, Signing } from "../venue/profile.ts"
import type { StructType } from "../venue/eip712.ts"
import type { JsonObject, JsonValue } from "../venue/json.ts"
import type { ActiveSet } from "./active-set.ts"
import type { Client, KeyEntry } from "./bindings.ts"
import { pickKey, type PickedKey } from "./pick-key.ts"
import { invalidRequest, splitBody, splitParsed, type SplitBody } from "./split-body.ts"

/** A request that has been read and whose key is known. Frozen; the record, the hash and the outgoing body come from it. */
export type ReadRequest = {
  readonly endpoint: Endpoint
  readonly signing: Signing
  /** The `Agent` layout that a Type A request is signed with. */
  readonly agentStruct: StructType
  readonly business: JsonObject
  readonly payload: Payload
  readonly key: KeyEntry
  readonly parties: Parties
  readonly ttlMs: number
}

export type BodyCall = Pick<BotParams["check"], "path" | "body" | "key" | "expiresIn">

/** A call whose body is the bot's bytes in base64 or, in a batch, what was read of them already. */
type ReadableCall = Omit<BodyCall, "body"> & {
  readonly body: string | { readonly parsed: JsonValue }
}

/** A call for a signature. */
export type SignCall = ReadableCall &
  Pick<BotParams["sign"], "token" | "purpose" | "idempotencyKey" | "traceparent">

/** Parses, validates and picks the key: all that comes before judging. Signing and checking share it. */
export function readRequest(
  call: ReadableCall,
  client: Client,
  set: ActiveSet,
): Result<ReadRequest, Refusal> {
  const endpoint = set.profile.endpointByPath.get(call.path)
  if (endpoint === undefined) return err(unknownEndpoint(call.path))

  const split = splitOf(call.body)
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
  const agentStruct = agentLayout(endpoint, picked.value, set)
  if (!agentStruct.ok) return agentStruct
  const ttlMs = timeToLive(call.expiresIn, signing.value, set)
  if (!ttlMs.ok) return ttlMs

  return ok(
    Object.freeze({
      endpoint,
      signing: signing.value,
      agentStruct: agentStruct.value,
      business: split.value.business,
      payload: payload.value,
      ...picked.value,
      ttlMs: ttlMs.value,
    }),
  )
}

function splitOf(body: ReadableCall["body"]): Result<SplitBody, Refusal> {
  return typeof body === "string"
    ? splitBody(Buffer.from(body, "base64"))
    : splitParsed(body.parsed)
}

function agentLayout(
  endpoint: Endpoint,
  { parties }: PickedKey,
  { profile }: ActiveSet,
): Result<StructType, Refusal> {
  if (parties.target === undefined) return ok(profile.agentStruct)
  return disclosed(endpoint, profile.agentStructWithTarget)
}

function disclosed<T>(endpoint: Endpoint, what: Disclosed<T>): Result<T, Refusal> {
  if (what.known) return ok(what.value)
  return err({
    code: what.code,
    message: `The venue's interface doesn't tell how ${endpoint.id} is signed here; add to venue.yaml, from the venue's own documentation: ${what.addLine}`,
    data: { endpoint: endpoint.id, add_line: what.addLine },
  })
}

function unknownEndpoint(path: string): Refusal {
  return {
    code: "unknown_endpoint",
    message: "The venue's interface has no write endpoint with this path.",
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
