import type { Brand } from "../std/brand.ts"
import { concatBytes, toHex, utf8 } from "../std/bytes.ts"
import { keccak256 } from "../std/keccak.ts"
import {
  domainSeparator,
  hashStruct,
  type StructType,
  type StructValues,
  type Domain,
} from "./eip712.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts"
import type { Parties, CanonicalForm } from "./profile.ts"

/**
 * The 32 bytes that a key signs. Made in this file alone, from a request that was read and judged; no
 * caller can bring one.
 */
export type Digest = Brand<Uint8Array, "Digest">

/** What the daemon fills in. Milliseconds. */
export type Validity = { readonly nonce: number; readonly expiresAfterMs: number }

/**
 * `keccak256(tag ‖ canonical_json)` (Signing Type A, step 3).
 *
 * @throws {RangeError} when `tag` isn't a byte: cut to 8 bits it would be another operation's.
 */
export function actionHash(tag: number, canonicalJson: string): Uint8Array {
  if (!Number.isInteger(tag) || tag < 0 || tag > 255) {
    throw new RangeError("an action tag is a whole number from 0 to 255")
  }
  return keccak256(concatBytes(Uint8Array.of(tag), utf8(canonicalJson)))
}

/**
 * Signing Type A, steps 7 to 10. `struct` is the `Agent` layout that fits: with `targetAddress` or without.
 *
 * @throws {RangeError} when it is the other layout, or a value doesn't fit its type.
 */
export function typeADigest(input: {
  readonly domain: Domain
  readonly struct: StructType
  readonly parties: Parties
  readonly actionHash: Uint8Array
  readonly validity: Validity
}): Digest {
  const { parties, validity } = input
  const values = new Map<string, string | bigint>([
    ["signerAddress", parties.signer],
    ["actionHash", toHex(input.actionHash)],
    ["nonce", BigInt(validity.nonce)],
    ["expiresAfter", BigInt(validity.expiresAfterMs)],
  ])
  if (parties.target !== undefined) values.set("targetAddress", parties.target)
  return digest(input.domain, hashStruct(input.struct, values))
}

/**
 * Signing Type B: the operation's own struct under the domain of `signature_chain_id`.
 *
 * @throws {RangeError} when `values` aren't exactly the struct's.
 */
export function typeBDigest(domain: Domain, struct: StructType, values: StructValues): Digest {
  return digest(domain, hashStruct(struct, values))
}

// EIP-712: sign(keccak256("\x19\x01" ‖ domainSeparator ‖ hashStruct(message)))
function digest(domain: Domain, structHash: Uint8Array): Digest {
  return keccak256(
    concatBytes(Uint8Array.of(0x19, 0x01), domainSeparator(domain), structHash),
  ) as Digest
}

/**
 * Compact JSON with sorted keys: the bytes whose hash is signed (Signing Type A, step 2).
 *
 * Keys are sorted by code point. Numbers come from the strict reader, so they are integers and print in
 * one way only.
 *
 * @throws {RangeError} when a number isn't finite.
 */
export function canonicalJson(body: JsonObject, form: CanonicalForm): string {
  return writeObject(body, form, "top")
}

function writeObject(object: JsonObject, form: CanonicalForm, depth: "top" | "nested"): string {
  const keys = Object.keys(object).filter((key) => form.nulls === "keep" || object[key] !== null)
  if (depth === "top" || form.sort === "every_depth") keys.sort(byCodePoint)
  const members = keys.map((key) => `${writeString(key, form)}:${write(object[key] ?? null, form)}`)
  return `{${members.join(",")}}`
}

function write(value: JsonValue, form: CanonicalForm): string {
  if (typeof value === "string") return writeString(value, form)
  if (isJsonObject(value)) return writeObject(value, form, "nested")
  if (Array.isArray(value)) {
    return `[${(value as readonly JsonValue[]).map((item) => write(item, form)).join(",")}]`
  }
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new RangeError("JSON has no NaN and no Infinity") // JSON.stringify would write null
  }
  return JSON.stringify(value)
}

const htmlCharacters = /[<>&\u2028\u2029]/g

function writeString(text: string, form: CanonicalForm): string {
  const plain = JSON.stringify(text)
  if (form.escape === "minimal") return plain
  return plain.replaceAll(
    htmlCharacters,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )
}

/** Code point order, which is also the order of the UTF-8 bytes; `<` would compare UTF-16 units. */
function byCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index)
    const right = b.charCodeAt(index)
    if (left !== right) return rank(left) - rank(right)
  }
  return a.length - b.length
}

/** A surrogate is half of a code point above U+FFFF, so it comes after every other unit. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}
