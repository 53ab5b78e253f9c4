import type { Signed } from "../../contract/signed.ts"
import { Fault } from "../../std/fault.ts"
import { parseAddress } from "../../venue/address.ts"
import type { JsonObject, JsonValue } from "../../venue/json.ts"
import { structValues } from "../../venue/payload/struct-body.ts"
import type { Profile, Signing } from "../../venue/profile.ts"
import {
  canonicalJson,
  actionHash,
  typeADigest,
  typeBDigest,
  type Digest,
  type Validity,
  snakeCase,
  type StructType,
  type StructValues,
  type Domain,
} from "../../venue/signing-hash.ts"
import type { Signature, Keyring } from "../keyring/keyring.ts"
import type { LedgerTime } from "../process/clock.ts"
import type { LedgerTurn } from "../ledger/ledger.ts"
import type { Taken } from "../ledger/records/reservation.ts"
import { requestStages } from "../process/stages.ts"
import type { ParsedRequest } from "./parse-request.ts"

export type Filling = { readonly validity: Validity; readonly profile: Profile }

/** The digest to sign, from the request as it was judged and the validity that was reserved. */
export function digestOf(request: ParsedRequest, filling: Filling): Digest {
  const { signing, agentStruct: struct, parties, canonical } = request
  if (signing.type === "B") {
    const { domain, struct, values } = typeBMessage(request, signing, filling)
    return typeBDigest(domain, struct, values)
  }
  const { validity, profile } = filling
  const action = actionHash(signing.tag, canonical)
  return typeADigest({ domain: profile.domain, struct, parties, actionHash: action, validity })
}

/**
 * The signed body as the venue takes it: compact JSON, its keys in the order that was hashed, so that a
 * venue that hashes what it received finds the same.
 */
export function signedBody(
  request: ParsedRequest,
  { validity, profile }: Filling,
  signature: Signature,
): string {
  const wireForm = { ...profile.canonicalForm, escape: "minimal", nulls: "keep" } as const
  return canonicalJson({ ...filledBody(request, validity), signature }, wireForm)
}

/**
 * What a Type B request is signed as: its own struct's values, under the domain of `signature_chain_id`. What a wallet
 * elsewhere is shown and what is hashed here are both made of it.
 */
export function typeBMessage(
  request: ParsedRequest,
  { struct }: Extract<Signing, { type: "B" }>,
  { validity, profile }: Filling,
): { readonly domain: Domain; readonly struct: StructType; readonly values: StructValues } {
  const values = structValues(struct, filledBody(request, validity))
  const chainId = request.business["signature_chain_id"]
  if (!values.ok || typeof chainId !== "number") {
    throw new Fault("internal", "The struct's values can't be read from a body that was accepted.")
  }
  const domain = { ...profile.domain, chainId: BigInt(chainId) }
  return { domain, struct, values: values.value }
}

function filledBody({ business, parties, signing }: ParsedRequest, validity: Validity): JsonObject {
  const filled: Record<string, JsonValue> = {
    ...business,
    ...(signing.type === "B" && addressesOf(signing.struct, business)),
    signer_address: parties.signer,
    nonce: validity.nonce,
    expires_after: validity.expiresAfterMs,
  }
  if (parties.target !== undefined) filled["target_address"] = parties.target
  return filled
}

/** A struct's addresses in EIP-55 form: the same accounts, so the same hash, in whatever case they came. */
function addressesOf(struct: StructType, business: JsonObject): JsonObject {
  const addresses: Record<string, JsonValue> = {}
  for (const field of struct.fields.filter(({ type }) => type === "address")) {
    const name = snakeCase(field.name)
    const value = business[name]
    const address = typeof value === "string" ? parseAddress(value) : undefined
    if (address !== undefined) addresses[name] = address
  }
  return addresses
}

/** What was signed, before it is answered for how long that is good. */
export type SignedBytes = Omit<Signed, "goodForMs" | "outBy">

/** As it is answered at `now`. */
export function answered(signed: SignedBytes, now: LedgerTime, { outBy }: LedgerTurn): Signed {
  return { ...signed, goodForMs: signed.expiresAfter - now, outBy }
}

/** Signs a request with what was taken for it. The same again gives the same bytes. */
export function signReserved(
  request: ParsedRequest,
  taken: Taken,
  { keyring, profile }: { readonly keyring: Keyring; readonly profile: Profile },
): SignedBytes {
  const filling = { validity: taken, profile }
  // The keyring releases a signature only after it recovered the signer from it.
  const signature = keyring.sign(request.key.name, digestOf(request, filling))
  requestStages.publish({ stage: "signed" })
  return {
    record: taken.record,
    path: request.endpoint.path,
    body: signedBody(request, filling, signature),
    expiresAfter: taken.expiresAfterMs,
    ...(profile.isPaper && { paper: true }),
  }
}
