import { concatBytes, fromHex, utf8 } from "../std/bytes.ts"
import { err, ok, type Result } from "../std/result.ts"
import { addressBytes, parseAddress } from "./address.ts"
import { keccak256 } from "./keccak.ts"
import type { Domain } from "./profile.ts"

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
const zeroAddress = new Uint8Array(32)

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
    const [, type, field] = fieldPattern.exec(member) ?? []
    if (type === undefined || field === undefined) return err(`"${member}" isn't "type name"`)
    if (!isFieldType(type)) {
      return err(`the type ${type} isn't one of address, bool, string, bytes32, uint8 … uint256`)
    }
    if (fields.some((earlier) => earlier.name === field))
      return err(`the field ${field} is there twice`)
    fields.push({ name: field, type })
  }
  return ok({ name, fields, typeString: text, typeHash: keccak256(utf8(text)) })
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
 * @throws {RangeError} when a value is missing or doesn't fit its type; values are checked before they come here.
 */
export function hashStruct(type: StructType, values: StructValues): Uint8Array {
  const members = type.fields.map((field) => encodeMember(field, values.get(field.name)))
  return keccak256(concatBytes(type.typeHash, ...members))
}

// EIP-712 §encodeData: atomic values are left-padded to 32 bytes, strings are hashed.
function encodeMember({ name, type }: StructField, value: StructValue | undefined): Uint8Array {
  const address = type === "address" && typeof value === "string" ? parseAddress(value) : undefined
  if (address !== undefined) return leftPad(addressBytes(address))
  if (type === "bool" && typeof value === "boolean") return uintBytes(value ? 1n : 0n)
  if (type === "string" && typeof value === "string") return keccak256(utf8(value))
  const word = type === "bytes32" && typeof value === "string" ? fromHex(value) : undefined
  if (word?.length === 32) return word
  const bits = uintBits(type)
  if (
    bits !== undefined &&
    typeof value === "bigint" &&
    value >= 0n &&
    value < 1n << BigInt(bits)
  ) {
    return uintBytes(value)
  }
  throw new RangeError(`the value of ${name} doesn't fit ${type}`)
}

const domainType =
  "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"

/** `keccak256(typeHash ‖ keccak256(name) ‖ keccak256(version) ‖ chainId ‖ verifyingContract)`, the contract being zero. */
export function domainSeparator({ name, version, chainId }: Domain): Uint8Array {
  return keccak256(
    concatBytes(
      keccak256(utf8(domainType)),
      keccak256(utf8(name)),
      keccak256(utf8(version)),
      uintBytes(chainId),
      zeroAddress,
    ),
  )
}

/** `signerAddress` → `signer_address`: how a struct's field is named in a body. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function uintBytes(value: bigint): Uint8Array {
  const bytes = new Uint8Array(32)
  for (let index = 31, rest = value; rest > 0n; index--, rest >>= 8n)
    bytes[index] = Number(rest & 0xffn)
  return bytes
}

function leftPad(bytes: Uint8Array): Uint8Array {
  const word = new Uint8Array(32)
  word.set(bytes, 32 - bytes.length)
  return word
}
