import { keccak_256 } from "@noble/hashes/sha3.js"
import { Point, recoverPublicKey } from "@noble/secp256k1"

import { concatBytes, fromHex, toHex } from "../../std/bytes.ts"
import { err, ok, type Result } from "../../std/result.ts"
import { accountOf, checkWallet, isOwn } from "../state/accounts.ts"
import { overBudget, reject, type Rejection } from "../state/error-codes.ts"
import { address, type Body, checkFields, checkRequired, has, integer } from "../state/fields.ts"
import { sandboxChainId } from "../state/market.ts"
import { checkNonce, type WriteTurn } from "../state/venue.ts"
import {
  actionHash,
  addressWord,
  agentType,
  agentWithTargetType,
  canonicalJson,
  domainSeparator,
  signingHash,
  structHash,
  uintWord,
} from "./typed-hash.ts"

/** A request whose signature, nonce, expiry and signer hold, and which was weighed. */
export type Admitted = Recovered & { readonly paidBy: "budget" | "reserve" }

/** Before it is weighed. Addresses are in lower case. */
type Recovered = {
  readonly signer: string
  readonly account: string
  readonly rateLimitAddress: string
  /** What was signed, in hex. The sandbox gives it as `tx_hash`, so that both ends can be compared. */
  readonly signingHash: string
}

const signingFields = ["signer_address", "nonce", "expires_after", "signature"]
const signingTable = {
  signer_address: address,
  target_address: address,
  nonce: integer(0, Number.MAX_SAFE_INTEGER),
  expires_after: integer(0, Number.MAX_SAFE_INTEGER),
}

const domain = domainSeparator(sandboxChainId)

/** Admits a Type A request: signed by an account's wallet or one of its agents. */
export function admitTypeA(
  body: Body,
  actionTag: number,
  turn: WriteTurn,
): Result<Admitted, Rejection> {
  const misfit = checkRequired(body, signingFields) ?? checkFields(body, signingTable)
  if (misfit !== undefined) return err(misfit)

  const admitted = checkSigned(body, typeAStruct(body, actionTag), turn)
  if (!admitted.ok) return admitted

  const { signer } = admitted.value
  const { accounts } = turn.venue
  const account = accountOf(accounts, signer, turn.nowMs)
  if (!account.ok) return account
  if (!has(body, "target_address"))
    return spend({ ...admitted.value, account: account.value }, turn)
  const target = String(body["target_address"]).toLowerCase()
  return isOwn(accounts, account.value, target)
    ? spend({ ...admitted.value, account: target, rateLimitAddress: target }, turn)
    : reject("wrong_target", "The signer doesn't operate the account in target_address.")
}

/** Admits a Type B request: signed by a wallet. `struct` is the struct hash of its fields, which are checked. */
export function admitTypeB(
  body: Body,
  struct: Uint8Array,
  turn: WriteTurn,
): Result<Admitted, Rejection> {
  if (has(body, "target_address")) {
    return reject("invalid_field", "A Type B body doesn't contain target_address.")
  }
  const admitted = checkSigned(body, struct, turn)
  if (!admitted.ok) return admitted
  const refused = checkWallet(turn.venue.accounts, admitted.value.signer)
  return refused === undefined ? spend(admitted.value, turn) : err(refused)
}

/** The fields that are signed and checked in every request. */
export const signedFields = { names: signingFields, table: signingTable } as const

/** The body without its signing fields (step 1). */
function businessFields(body: Body): Body {
  const names = [...signingFields, "target_address"]
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)))
}

function typeAStruct(body: Body, actionTag: number): Uint8Array {
  const signer = addressWord(String(body["signer_address"]))
  const rest = [
    actionHash(actionTag, canonicalJson(businessFields(body))),
    uintWord(Number(body["nonce"])),
    uintWord(Number(body["expires_after"])),
  ]
  return has(body, "target_address")
    ? structHash(agentWithTargetType, signer, addressWord(String(body["target_address"])), ...rest)
    : structHash(agentType, signer, ...rest)
}

function checkSigned(
  body: Body,
  struct: Uint8Array,
  turn: WriteTurn,
): Result<Recovered, Rejection> {
  const signer = String(body["signer_address"]).toLowerCase()
  const nonce = Number(body["nonce"])
  const { nowMs, venue } = turn

  const signature = readSignature(body["signature"])
  if (!signature.ok) return signature
  const hash = signingHash(domain, struct)
  if (recoverAddress(hash, signature.value) !== signer) {
    return reject("wrong_signer", "The signature isn't signer_address's over this request.")
  }
  if (Number(body["expires_after"]) <= nowMs) {
    return reject("expired", "The request's expires_after has passed.")
  }
  const refused = checkNonce(venue.nonces, { signer, nonce, nowMs })
  return refused === undefined
    ? ok({ signer, account: signer, rateLimitAddress: signer, signingHash: toHex(hash) })
    : err(refused)
}

/**
 * Counts an admitted request for its rate-limit address. Only now, since the reserve bypasses neither
 * signature nor permission, and so that nobody spends the budget of an address whose key he lacks.
 */
function spend(admitted: Recovered, turn: WriteTurn): Result<Admitted, Rejection> {
  const { venue, nowMs, addressWeight, isCancel } = turn
  const address = admitted.rateLimitAddress
  const verdict = venue.limiter.take({
    ip: "",
    ipWeight: 0, // counted when the request came in
    address,
    addressWeight,
    isCancel,
    nowMs,
  })
  return verdict.ok ? ok({ ...admitted, paidBy: verdict.paidBy }) : overBudget(verdict.scope)
}

type Signature = {
  readonly r: Uint8Array
  readonly s: Uint8Array
  readonly v: 27 | 28
}

// ECDSA has two good s for every message; the lower half alone is taken (EIP-2).
const highestLowS = Point.CURVE().n / 2n
const wordPattern = /^0x[0-9a-fA-F]{64}$/

/** Reads `{r, s, v}` as the interface's table has it. */
export function readSignature(value: unknown): Result<Signature, Rejection> {
  if (typeof value !== "object" || value === null) {
    return reject("invalid_signature", "The signature must be an object {r, s, v}.")
  }
  const { r, s, v } = value as Readonly<Record<string, unknown>> // any object can be read so
  const rBytes = readWord(r)
  const sBytes = readWord(s)
  if (rBytes === undefined || sBytes === undefined) {
    return reject("invalid_signature", "The signature's r and s must be 0x and 64 hex digits each.")
  }
  if (v !== 27 && v !== 28) {
    return reject("invalid_signature", "The signature's v must be the integer 27 or 28.")
  }
  if (BigInt(toHex(sBytes)) > highestLowS) {
    return reject("high_s", "The signature's s must be in the lower half of the curve's order.")
  }
  return ok({ r: rBytes, s: sBytes, v })
}

/** The address whose key made `signature` over `hash`, in lower case; `undefined` when no key can have. */
export function recoverAddress(hash: Uint8Array, { r, s, v }: Signature): string | undefined {
  const recovered = concatBytes(Uint8Array.of(v - 27), r, s)
  try {
    const publicKey = recoverPublicKey(recovered, hash, { prehash: false, isCompressed: false })
    // The last 20 bytes of the hash of the point, without its leading 0x04.
    return toHex(keccak_256(publicKey.subarray(1)).subarray(12))
  } catch {
    return undefined // r or s is no scalar, or r is no point's
  }
}

function readWord(value: unknown): Uint8Array | undefined {
  return typeof value === "string" && wordPattern.test(value) ? fromHex(value) : undefined
}
