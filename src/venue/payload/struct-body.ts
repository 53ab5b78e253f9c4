import { err, ok, type Result } from "../../std/result.ts"
import { parseAddress, type Address } from "../address.ts"
import { approveAgentStruct, agentStruct } from "../builtin-profile.ts"
import { pointerTo, type FieldError, type JsonObject, type JsonValue } from "../json.ts"
import type { Profile } from "../profile.ts"
import {
  snakeCase,
  uintBits,
  type StructField,
  type StructType,
  type StructValue,
  type StructValues,
} from "../signing-hash.ts"
import { fieldError, missingField, unknownField, wrongType, type AgentApproval } from "./payload.ts"

/**
 * Parses a complete Type B body (with signer_address, nonce and expires_after) into the values that
 * `hashStruct` takes. So the values that were judged are the values that are hashed.
 */
export function structValues(
  { fields }: Pick<StructType, "fields">,
  body: JsonObject,
): Result<StructValues, readonly FieldError[]> {
  const values = new Map<string, StructValue>()
  const errors: FieldError[] = []
  for (const field of fields) {
    const name = snakeCase(field.name)
    const read = parseMember(field.type, fieldOf(body, name), pointerTo("", name))
    if (read.ok) values.set(field.name, read.value)
    else errors.push(read.error)
  }
  return errors.length > 0 ? err(errors) : ok(values)
}

/**
 * Checks the business fields of a Type B body: the struct's fields in snake_case and `signature_chain_id`,
 * without what the daemon fills in. No field may be missing, and no other may be there.
 */
export function checkStructBody(
  struct: StructType,
  body: JsonObject,
  typeB: Profile["typeB"],
): readonly FieldError[] {
  const fields = businessFields(struct)
  const known = new Set([...fields.map((field) => snakeCase(field.name)), "signature_chain_id"])
  const read = structValues({ fields }, body)
  return [
    ...(read.ok ? [] : read.error),
    ...(known.has("service_chain") ? checkServiceChain(body, typeB) : []),
    ...checkChainId(body, typeB),
    ...Object.keys(body)
      .filter((name) => !known.has(name))
      .map((name) => unknownField(pointerTo("", name))),
  ]
}

function checkServiceChain(body: JsonObject, typeB: Profile["typeB"]): readonly FieldError[] {
  const serviceChain = fieldOf(body, "service_chain")
  if (typeof serviceChain !== "string" || serviceChain === typeB.serviceChain) return []
  const message = `send ${typeB.serviceChain}, the network of this installation`
  return [fieldError("/service_chain", "wrong_service_chain", message)]
}

function checkChainId(body: JsonObject, typeB: Profile["typeB"]): readonly FieldError[] {
  const path = "/signature_chain_id"
  const chainId = fieldOf(body, "signature_chain_id")
  if (chainId === undefined) return [missingField(path)]
  if (typeof chainId !== "number") return [wrongType(path, "an integer")]
  if (typeB.signatureChainIds.includes(chainId)) return []
  const message = `send one of ${typeB.signatureChainIds.join(", ")}, which venue.yaml lists`
  return [fieldError(path, "wrong_signature_chain_id", message)]
}

/** Parses the business fields of approveAgent: exactly the six documented ones. */
export function parseApproveAgent(
  body: JsonObject,
  typeB: Profile["typeB"],
): Result<AgentApproval, readonly FieldError[]> {
  const errors = [...checkStructBody(approveAgentStruct, body, typeB)]
  if (body["valid_days"] === 0) {
    errors.push(fieldError("/valid_days", "out_of_range", "send at least 1 day"))
  }
  const approval = approvalOf(body)
  return approval === undefined || errors.length > 0 ? err(errors) : ok(Object.freeze(approval))
}

/** `undefined` when a field can't be read; {@link checkStructBody} has reported it. */
function approvalOf(body: JsonObject): AgentApproval | undefined {
  const agentAddress = addressOf(body["agent_address"])
  const authorizedAddress = addressOf(body["authorized_address"])
  if (agentAddress === undefined || authorizedAddress === undefined) return undefined
  const { service_chain: serviceChain, signature_chain_id: signatureChainId } = body
  const { valid_days: validDays, label } = body
  if (typeof serviceChain !== "string" || typeof label !== "string") return undefined
  if (typeof signatureChainId !== "number" || typeof validDays !== "number") return undefined
  return { serviceChain, signatureChainId, agentAddress, authorizedAddress, validDays, label }
}

function addressOf(value: JsonValue | undefined): Address | undefined {
  return typeof value === "string" ? parseAddress(value) : undefined
}

function fieldOf(body: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(body, name) ? body[name] : undefined
}

type Parsed = Result<StructValue, FieldError>

function parseMember(type: string, value: JsonValue | undefined, path: string): Parsed {
  if (value === undefined) return err(missingField(path))
  const bits = uintBits(type)
  if (bits !== undefined) return parseUint(bits, value, path)
  if (type === "bool") {
    return typeof value === "boolean" ? ok(value) : err(wrongType(path, "true or false"))
  }
  if (typeof value !== "string") return err(wrongType(path, "a string"))
  if (type === "address") return parseAddressAt(value, path)
  return type === "string" ? ok(value) : parseBytes32(value, path)
}

function parseBytes32(text: string, path: string): Parsed {
  if (/^0x[0-9a-fA-F]{64}$/.test(text)) return ok(text)
  return err(fieldError(path, "not_bytes32", "send 32 bytes: 0x and 64 hex digits"))
}

function parseAddressAt(text: string, path: string): Parsed {
  const address = parseAddress(text)
  if (address !== undefined) return ok(address)
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) {
    return err(fieldError(path, "not_address", "send an address: 0x and 40 hex digits"))
  }
  const message = "the checksum of this address is wrong; check it letter by letter"
  return err(fieldError(path, "wrong_checksum", message))
}

/** A JSON integer is exact up to 53 bits. A wider type may also come as a string. */
function parseUint(bits: number, value: JsonValue, path: string): Parsed {
  const expected = bits > 53 ? "an integer, or a string of its digits" : "an integer"
  const integer = integerOf(value, bits)
  if (integer === undefined) return err(wrongType(path, expected))
  if (integer >= 0n && integer < 1n << BigInt(bits)) return ok(integer)
  return err(fieldError(path, "out_of_range", `send an integer from 0 to 2^${bits} - 1`))
}

function integerOf(value: JsonValue, bits: number): bigint | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : undefined
  const isDigits = typeof value === "string" && /^(?:0|[1-9]\d{0,77})$/.test(value)
  return isDigits && bits > 53 ? BigInt(value) : undefined
}

/** The fields that every Type B struct has. The daemon fills them in. */
export const filledInFields: readonly StructField[] = [
  { name: "signerAddress", type: "address" },
  { name: "nonce", type: "uint64" },
  { name: "expiresAfter", type: "uint64" },
]

/** A Type B struct's own fields. */
export function businessFields({ fields }: StructType): readonly StructField[] {
  return fields.filter(({ name }) => !filledInFields.some((field) => field.name === name))
}

const disclosedNames = ["Agent", "ApproveAgent"]

const bodyNames = ["signature_chain_id", "signature", "target_address"]

/**
 * Says why a struct can't be that of a Type B operation; each reason is a sentence.
 *
 * Two fields never get the same name in the body: {@link snakeCase} is one-to-one on the names that are
 * allowed here, and no struct has a name twice.
 */
export function checkTypeBStruct(struct: StructType): readonly string[] {
  const taken = disclosedNames.includes(struct.name)
    ? [`${struct.name} is the interface's own struct; another operation's can't have that name`]
    : []
  const missing = filledInFields
    .filter((field) => !holds(struct, field))
    .map(({ type, name }) => `${struct.name} lacks the field "${type} ${name}"`)
  const colliding = struct.fields
    .filter((field) => bodyNames.includes(snakeCase(field.name)))
    .map(({ name }) => `${struct.name}'s field ${name} collides with the body's ${snakeCase(name)}`)
  return [...taken, ...missing, ...colliding]
}

/**
 * Says why a struct can't be the `Agent` message with `target_address`; each reason is a sentence. The interface shows
 * the other fields. It doesn't say what this one is called, so any name is taken.
 */
export function checkAgentWithTarget(struct: StructType): readonly string[] {
  const { name, fields } = agentStruct
  const others = struct.fields.filter((field) => !holds(agentStruct, field))
  const isTarget = others.length === 1 && others[0]?.type === "address"
  const isComplete = struct.name === name && struct.fields.length === fields.length + 1 && isTarget
  if (isComplete) return []
  const shown = fields.map((field) => `${field.type} ${field.name}`).join(", ")
  return [
    `agent_message_with_target must be ${name}(…) with ${shown} and one address more, the target's, in the venue's order`,
  ]
}

function holds(struct: StructType, { name, type }: StructField): boolean {
  return struct.fields.some((field) => field.name === name && field.type === type)
}
