import { concatBytes, fromHex, utf8 } from "../std/bytes.ts"
import { keccak256 } from "../std/keccak.ts"
import { err, ok, type Result } from "../std/result.ts"

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
const zeroWord = new Uint8Array(32)

/**
 * Reads `Name(type field,…)` with the types address, bool, string, bytes32 and uint8 … uint256. The
 * type string is hashed as written, so spaces and order must be the venue's.
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
 * @throws {RangeError} when `values` doesn't hold exactly the struct's fields, or one doesn't fit its
 * type; values are checked before they come here, an address's checksum there alone.
 */
export function hashStruct(type: StructType, values: StructValues): Uint8Array {
  if (values.size !== type.fields.length) {
    throw new RangeError(`${type.name} has ${type.fields.length} fields, got ${values.size}`)
  }
  const members = type.fields.map((field) => encodeMember(field, values.get(field.name)))
  return keccak256(concatBytes(type.typeHash, ...members))
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
      return addressWord(text)
    case "string":
      // UTF-8 has no lone surrogates: two texts would have one hash.
      return text.isWellFormed() ? keccak256(utf8(text)) : undefined
    case "bytes32":
      return fromHex(text)
    default:
      return undefined
  }
}

function addressWord(text: string): Uint8Array | undefined {
  const bytes = fromHex(text)
  return bytes?.length === 20 ? concatBytes(zeroWord.subarray(20), bytes) : undefined
}

/** `undefined` when `value` isn't in 0 … 2^bits − 1, or the type has no width. */
function uintWord(value: bigint, bits: number | undefined): Uint8Array | undefined {
  if (bits === undefined || value < 0n || value >= 1n << BigInt(bits)) return undefined
  return fromHex(value.toString(16).padStart(64, "0"))
}

const domainType =
  "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
const separatorOf = new WeakMap<Domain, Uint8Array>()

/**
 * `keccak256(typeHash ‖ keccak256(name) ‖ keccak256(version) ‖ chainId ‖ verifyingContract)`, the
 * contract being zero. That of a frozen domain, which can't change under its hash, is kept.
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
  return keccak256(
    concatBytes(
      keccak256(utf8(domainType)),
      encodeMember({ name: "name", type: "string" }, name),
      encodeMember({ name: "version", type: "string" }, version),
      encodeMember({ name: "chainId", type: "uint256" }, chainId),
      zeroWord,
    ),
  )
}

/** `signerAddress` → `signer_address`: how a struct's field is named in a body. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** EIP-712 domain; `verifyingContract` is always the zero address. */
export type Domain = { readonly name: string; readonly version: string; readonly chainId: bigint }
