import type { Brand } from "../std/brand.ts"
import { concatBytes, fromHex, toHex, utf8 } from "../std/bytes.ts"
import { keccak256 } from "../std/keccak.ts"
import { err, ok, type Result } from "../std/result.ts"
import type { Address } from "./address.ts"
import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts"

/**
 * The 32 bytes that a key signs. Only this file makes one, from a request that was parsed and judged. No
 * caller can supply one.
 */
export type Digest = Brand<Uint8Array, "Digest">

/** What the daemon fills in. Milliseconds. */
export type Validity = { readonly nonce: number; readonly expiresAfterMs: number }

/**
 * `keccak256(tag ‖ canonical_json)` (Signing Type A, step 3).
 *
 * @throws {RangeError} when `tag` isn't a byte: cut to 8 bits, it would be the tag of another operation.
 */
export function actionHash(tag: number, canonicalJson: string): Uint8Array {
  if (!Number.isInteger(tag) || tag < 0 || tag > 255) {
    throw new RangeError("an action tag is a whole number from 0 to 255")
  }
  const bytes = utf8(`\0${canonicalJson}`)
  bytes[0] = tag
  return keccak256(bytes)
}

/**
 * Signing Type A, steps 7 to 10. `struct` is the `Agent` layout. If the request has a target, the layout has one
 * more field for it.
 *
 * @throws {RangeError} when the layout doesn't fit the request, or a value doesn't fit its type.
 */
export function typeADigest(input: {
  readonly domain: Domain
  readonly struct: StructType
  readonly parties: Parties
  readonly actionHash: Uint8Array
  readonly validity: Validity
}): Digest {
  const { parties, validity } = input
  const values = new Map<string, StructValue>([
    ["signerAddress", parties.signer],
    ["actionHash", toHex(input.actionHash)],
    ["nonce", BigInt(validity.nonce)],
    ["expiresAfter", BigInt(validity.expiresAfterMs)],
  ])
  if (parties.target !== undefined) {
    const more = input.struct.fields.find(({ name }) => !values.has(name))
    values.set(more?.name ?? "target", parties.target)
  }
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
  const both = [domainSeparator(domain), structHash]
  return keccak256(concatBytes(Uint8Array.of(0x19, 0x01), ...both)) as Digest
}

/**
 * Compact JSON with sorted keys: the bytes whose hash is signed (Signing Type A, step 2).
 *
 * Keys are sorted by code point. The strict parser takes only integers, so a number has one text only.
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

const unescaped = /^[ !#-%'-;=?-[\]-~]*$/
const htmlCharacters = /[<>&\u2028\u2029]/g

function writeString(text: string, form: CanonicalForm): string {
  // Most are; JSON.stringify takes three times as long to find out.
  if (unescaped.test(text)) return `"${text}"`
  const plain = JSON.stringify(text)
  if (form.escape === "minimal") return plain
  return plain.replaceAll(
    htmlCharacters,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )
}

/** Compares by code point, as the UTF-8 bytes would; `<` would compare UTF-16 units. */
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

/**
 * How `canonical_json` is written where the interface leaves it open. The defaults (`every_depth`,
 * `minimal`, `keep`) are our reading; docs/signing.md lists them.
 */
export type CanonicalForm = {
  readonly sort: "every_depth" | "top_level"
  /** `minimal` escapes as JSON.stringify does; `html` also writes `<`, `>`, `&`, U+2028, U+2029 as `\u003c` and so on. */
  readonly escape: "minimal" | "html"
  readonly nulls: "keep" | "omit"
}

/** The signer and the target account of a request. */
export type Parties = { readonly signer: Address; readonly target: Address | undefined }

/** A member of an EIP-712 struct, named as in the type string (camelCase). */
export type StructField = { readonly name: string; readonly type: string }

/** A flat EIP-712 struct. `typeHash` is keccak256 of `typeString`. */
export type StructType = {
  readonly name: string
  readonly fields: readonly StructField[]
  readonly typeString: string
  readonly typeHash: Uint8Array
}

/** A member's value: text for `string` and `address`, hex for `bytes32`, a bigint for `uintN`. */
export type StructValue = string | boolean | bigint
export type StructValues = ReadonlyMap<string, StructValue>

const structPattern = /^([A-Z][A-Za-z0-9]*)\(([^()]*)\)$/
const fieldPattern = /^([a-z0-9]+) ([a-z][A-Za-z0-9]*)$/
const uintPattern = /^uint(\d{1,3})$/

/**
 * Parses `Name(type field,…)` with the types address, bool, string, bytes32 and uint8 … uint256. The
 * type string is hashed as it is written, so its spaces and order must match the venue's.
 */
export function parseStructType(text: string): Result<StructType, string> {
  const [, name, members] = structPattern.exec(text) ?? []
  if (name === undefined || members === undefined) {
    return err("expected a struct like Name(address signerAddress,uint64 nonce)")
  }
  const fields: StructField[] = []
  for (const member of members.split(",")) {
    const field = parseField(member)
    if (!field.ok) return field
    if (fields.some((earlier) => earlier.name === field.value.name)) {
      return err(`the field ${field.value.name} is there twice`)
    }
    fields.push(field.value)
  }
  return ok({ name, fields, typeString: text, typeHash: keccak256(utf8(text)) })
}

/** A struct written in our own sources. @throws {Error} when `text` isn't one. */
export function knownStruct(text: string): StructType {
  const struct = parseStructType(text)
  if (!struct.ok) throw new Error(struct.error)
  return struct.value
}

function parseField(member: string): Result<StructField, string> {
  const [, type, name] = fieldPattern.exec(member) ?? []
  if (type === undefined || name === undefined) return err(`"${member}" isn't "type name"`)
  if (isFieldType(type)) return ok({ name, type })
  return err(`the type ${type} isn't one of address, bool, string, bytes32, uint8 … uint256`)
}

function isFieldType(type: string): boolean {
  return ["address", "bool", "string", "bytes32"].includes(type) || uintBits(type) !== undefined
}

/** The width of `uintN` in bits, a multiple of 8 from 8 to 256; `undefined` for any other type. */
export function uintBits(type: string): number | undefined {
  const bits = Number(uintPattern.exec(type)?.[1])
  return bits >= 8 && bits <= 256 && bits % 8 === 0 && type === `uint${bits}` ? bits : undefined
}

/**
 * `keccak256(typeHash ‖ encodeData)`.
 *
 * @throws {RangeError} when `values` aren't exactly the struct's fields, or one doesn't fit its type. An address's
 * checksum isn't checked here: that was done before.
 */
export function hashStruct(
  { name, fields, typeHash }: StructType,
  values: StructValues,
): Uint8Array {
  if (values.size !== fields.length) {
    throw new RangeError(`${name} has ${fields.length} fields, got ${values.size}`)
  }
  const encoded = new Uint8Array(32 + 32 * fields.length)
  encoded.set(typeHash)
  for (const [index, field] of fields.entries()) {
    encoded.set(encodeMember(field, values.get(field.name)), 32 + 32 * index)
  }
  return keccak256(encoded)
}

// EIP-712 §encodeData: each member is 32 bytes.
function encodeMember({ name, type }: StructField, value: StructValue | undefined): Uint8Array {
  const word = wordOf(type, value)
  if (word?.length === 32) return word
  throw new RangeError(`the value of ${name} doesn't fit ${type}`)
}

function wordOf(type: string, value: StructValue | undefined): Uint8Array | undefined {
  if (typeof value === "string") return textWord(type, value)
  if (typeof value === "bigint") return uintWord(value, uintBits(type))
  return typeof value === "boolean" && type === "bool" ? uintWord(value ? 1n : 0n, 8) : undefined
}

// EIP-712 §encodeData: an address is left-padded, a string is hashed, bytes32 stands as it is.
function textWord(type: string, text: string): Uint8Array | undefined {
  switch (type) {
    case "address":
      return /^0x.{40}$/s.test(text) ? fromHex(text.slice(2).padStart(64, "0")) : undefined
    case "string":
      // UTF-8 has no lone surrogates: two texts would have one hash.
      return text.isWellFormed() ? keccak256(utf8(text)) : undefined
    case "bytes32":
      return fromHex(text)
    default:
      return undefined
  }
}

/** `undefined` when `value` isn't in 0 … 2^bits − 1, or the type has no width. */
function uintWord(value: bigint, bits: number | undefined): Uint8Array | undefined {
  if (bits === undefined || BigInt.asUintN(bits, value) !== value) return undefined
  return fromHex(value.toString(16).padStart(64, "0"))
}

const domainStruct = knownStruct(
  "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)",
)
const noContract = `0x${"00".repeat(20)}`
const separatorOf = new WeakMap<Domain, Uint8Array>()

/**
 * `keccak256(typeHash ‖ keccak256(name) ‖ keccak256(version) ‖ chainId ‖ verifyingContract)`, where the
 * contract is zero. The hash of a frozen domain is kept, because such a domain can't change.
 *
 * @throws {RangeError} when the domain can't be encoded.
 */
export function domainSeparator(domain: Domain): Uint8Array {
  const known = separatorOf.get(domain)
  if (known !== undefined) return known.slice()
  const separator = hashDomain(domain)
  if (Object.isFrozen(domain)) separatorOf.set(domain, separator.slice())
  return separator
}

function hashDomain({ name, version, chainId }: Domain): Uint8Array {
  const values = { name, version, chainId, verifyingContract: noContract }
  return hashStruct(domainStruct, new Map(Object.entries(values)))
}

/** The name in a body of a struct's field: `signerAddress` → `signer_address`. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** EIP-712 domain; `verifyingContract` is always the zero address. */
export type Domain = { readonly name: string; readonly version: string; readonly chainId: bigint }
