import type { BotParams } from "../../link/calls/methods.ts"
import type { Refusal } from "../../link/views/refusal.ts"
import { err, ok, type Result } from "../../std/result.ts"
import type { JsonObject, JsonValue } from "../../venue/json.ts"
import { laneOf, type Lane } from "../../venue/payload/lane.ts"
import { parsePayload } from "../../venue/payload/parse-payload.ts"
import type { Payload } from "../../venue/payload/payload.ts"
import type { Disclosed, Endpoint, Signing } from "../../venue/profile.ts"
import type { Parties, StructType } from "../../venue/signing-hash.ts"
import type { ActiveSet } from "../active/active-set.ts"
import { type Client, type KeyEntry } from "../ledger/records/bindings.ts"
import type { IdempotencyKey } from "../ledger/records/idempotency.ts"
import { hashToken } from "./authenticate.ts"
import { invalidRequest, splitBody, splitParsed, type SplitBody } from "./split-body.ts"

/** A request that has been read and whose key is known. Frozen; the record, the hash and the outgoing body come from it. */
export type ParsedRequest = {
  readonly endpoint: Endpoint
  readonly signing: Signing
  /** The `Agent` layout that a Type A request is signed with. */
  readonly agentStruct: StructType
  readonly business: JsonObject
  readonly payload: Payload
  readonly lane: Lane
  readonly key: KeyEntry
  readonly parties: Parties
  readonly ttlMs: number
}

export type BodyCall = Pick<BotParams["check"], "path" | "body" | "key" | "expiresIn">

/** A call whose body is the bot's bytes in base64 or, in a batch, what was read of them already. */
type ParsableCall = Omit<BodyCall, "body"> & {
  readonly body: string | { readonly parsed: JsonValue }
}

/** A call for a signature. */
export type SignCall = ParsableCall &
  Pick<BotParams["sign"], "token" | "purpose" | "idempotencyKey" | "traceparent">

/** Parses, validates and picks the key: all that comes before judging. Signing and checking share it. */
export function parseRequest(
  call: ParsableCall,
  client: Client,
  set: ActiveSet,
): Result<ParsedRequest, Refusal> {
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
      lane: laneOf(endpoint, payload.value, set.profile),
      ...picked.value,
      ttlMs: ttlMs.value,
    }),
  )
}

function splitOf(body: ParsableCall["body"]): Result<SplitBody, Refusal> {
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

/** What the choice of a key depends on. */
export type KeyAsk = {
  readonly client: Client
  /** The header `Countersign-Key`. */
  readonly header: string | undefined
  readonly split: SplitBody
  readonly endpoint: Endpoint
  readonly signing: Signing
}

export type PickedKey = { readonly key: KeyEntry; readonly parties: Parties }

/**
 * Picks the key: the header, else the body's `signer_address`, else the client's first. The choice
 * never depends on the endpoint; whether the key may do this comes after it, and no policy can lift
 * what is refused here.
 */
export function pickKey(ask: KeyAsk, set: ActiveSet): Result<PickedKey, Refusal> {
  const chosen = chooseKey(ask, set)
  if (!chosen.ok) return chosen
  const key = chosen.value
  const refusal = refuseKey(ask, key, set) ?? refuseTarget(ask, key)
  if (refusal !== undefined) return err(refusal)
  return ok({ key, parties: { signer: key.address, target: ask.split.target } })
}

function chooseKey({ client, header, split }: KeyAsk, set: ActiveSet): Result<KeyEntry, Refusal> {
  const own = client.keys.flatMap((name) => set.keys.get(name) ?? [])
  const byAddress = own.find((key) => key.address === split.signer)
  const named = header ?? (split.signer === undefined ? client.keys[0] : byAddress?.name)
  const key = own.find((candidate) => candidate.name === named)
  if (key === undefined) return err(keyNotAllowed(client.name, header ?? null))
  if (split.signer !== undefined && split.signer !== key.address) {
    const message = `signer_address isn't the address of the key ${key.name} that Countersign-Key names; leave one of them out`
    return err(invalidRequest([{ path: "/signer_address", rule: "signer_disagrees", message }]))
  }
  return ok(key)
}

function refuseKey(ask: KeyAsk, key: KeyEntry, set: ActiveSet): Refusal | undefined {
  if (key.network !== set.profile.network) return wrongNetwork(key.name)
  if (!set.usableKeys.has(key.name)) return keyEnded(key)
  if (ask.signing.type === "B" && key.role !== "wallet")
    return walletKeyRequired(ask.endpoint.id, key.name)
  if (key.role === "wallet" && !ask.client.allowTypeB)
    return walletKeyNotAllowed(ask.client.name, key.name)
  return undefined
}

function refuseTarget({ signing, split }: KeyAsk, key: KeyEntry): Refusal | undefined {
  const { target } = split
  if (target === undefined) return undefined
  if (signing.type === "B") {
    const message =
      "leave target_address out; an account operation acts for the wallet that signs it"
    return invalidRequest([{ path: "/target_address", rule: "target_on_type_b", message }])
  }
  if (target === key.address || key.targets.includes(target)) return undefined
  return {
    code: "target_not_allowed",
    message: `The key ${key.name} may not operate ${target}.`,
    data: { key: key.name, target },
  }
}

/** The refusal of a key that a client named and may not use; `null` where it gave an address. */
export function keyNotAllowed(client: string, key: string | null): Refusal {
  const which = key === null ? "the key with this signer_address" : `a key named ${key}`
  return {
    code: "key_not_allowed",
    message: `The client ${client} may not use ${which}; GET /whoami lists its keys.`,
    data: { key },
  }
}

function wrongNetwork(key: string): Refusal {
  return {
    code: "wrong_network",
    message: `The key ${key} was made for another network than the one in venue.yaml; use a key made for this one.`,
    data: { key },
  }
}

function keyEnded({ name, approval }: KeyEntry): Refusal {
  return {
    code: "agent_revoked",
    message: `The key ${name} is ${approval} and never signs again; GET /whoami lists the client's keys.`,
    data: { key: name },
  }
}

function walletKeyRequired(operation: string, key: string): Refusal {
  return {
    code: "wallet_key_required",
    message: `${operation} is signed by a wallet key, and ${key} is an agent key; name a wallet key in Countersign-Key.`,
    data: { key },
  }
}

function walletKeyNotAllowed(client: string, key: string): Refusal {
  return {
    code: "key_not_allowed",
    message: `${key} is a wallet key, and the client ${client} was added without --allow-type-b.`,
    data: { key },
  }
}

/**
 * The key that has to be looked up for a call before anything is decided. By the time that is done other
 * files may be in force, so this is for the look-up alone.
 */
export function keyToLookUp(call: SignCall, set: ActiveSet): IdempotencyKey | undefined {
  const client = set.clientByTokenHash.get(hashToken(call.token))
  if (client === undefined) return undefined
  if (call.idempotencyKey !== undefined) return headerKey(client.name, call.idempotencyKey)
  if (client.idempotencyBy === "header") return undefined
  const read = parseRequest(call, client, set)
  return read.ok ? keyOf(call, client, read.value) : undefined
}

/** The header `Idempotency-Key`; without it, for a client that was added so, an order's `client_order_id`. */
export function keyOf(
  call: SignCall,
  { name, idempotencyBy }: Client,
  request: ParsedRequest,
): IdempotencyKey | undefined {
  if (call.idempotencyKey !== undefined) return headerKey(name, call.idempotencyKey)
  if (idempotencyBy === "header" || request.endpoint.id !== "placeOrder") return undefined
  const key = clientOrderIdOf(request)
  return key === undefined ? undefined : { client: name, by: "client_order_id", key }
}

/** The `client_order_id` of a request that makes a single order. */
export function clientOrderIdOf({ payload }: ParsedRequest): string | undefined {
  if (payload.kind !== "orders" || payload.form !== "single") return undefined
  return payload.orders[0]?.clientOrderId
}

function headerKey(client: string, key: string): IdempotencyKey {
  return { client, by: "header", key }
}
