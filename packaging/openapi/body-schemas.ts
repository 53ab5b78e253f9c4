// The bodies of the venue's operations, from the data that their parser reads.

import assert from "node:assert/strict"

import { maxDecimalDigits } from "../../src/venue/decimal.ts"
import {
  snakeCase,
  uintBits,
  type StructField,
  type StructType,
} from "../../src/venue/signing-hash.ts"
import { approveAgentStruct } from "../../src/venue/builtin-profile.ts"
import { filledInFields } from "../../src/venue/payload/struct-body.ts"
import { orderFields, type BodyField, type FieldType } from "../../src/venue/payload/payload.ts"
import { signingFields } from "../../src/venue/payload/parse-payload.ts"
import type { Json } from "./json-schema.ts"

const address: Json = {
  type: "string",
  pattern: "^0x[0-9a-fA-F]{40}$",
  description: "In mixed case its EIP-55 checksum must be right.",
}

/** What any operation's body may say besides its business fields, of the signing fields. */
const parties: Readonly<Record<string, Json>> = {
  signer_address: {
    ...address,
    description: "Picks the key; must not contradict `Countersign-Key`.",
  },
  target_address: {
    ...address,
    description: "The account that is operated; on what is signed as type A alone.",
  },
}

const aboveZero = "^(?=.*[1-9])(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?$"

/** Every body by the name of its schema. */
export const bodySchemas: Readonly<Record<string, Json>> = {
  PlaceOrder: {
    ...fieldsSchema(orderFields, parties),
    description:
      "The business fields of an order. docs/error-codes.md lists the rules between them; `extra_fields` of venue.yaml may admit more.",
  },
  ApproveAgent: structBody(approveAgentStruct, { valid_days: { minimum: 1 } }),
  Payload: {
    type: "object",
    properties: {
      ...parties,
      ...Object.fromEntries(suppliedByDaemon().map((name) => [name, false])),
    },
    additionalProperties: true,
    description:
      "Business fields that the venue's interface doesn't document, as the venue documents them elsewhere. The daemon fills in nonce, expiry and signature.",
  },
}

function suppliedByDaemon(): readonly string[] {
  return signingFields.filter((name) => !Object.hasOwn(parties, name))
}

function fieldsSchema(
  fields: readonly BodyField[],
  more: Readonly<Record<string, Json>> = {},
): Json {
  return {
    type: "object",
    properties: {
      ...Object.fromEntries(fields.map(({ name, type }) => [name, fieldSchema(type)])),
      ...more,
    },
    required: fields.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  }
}

function fieldSchema(type: FieldType): Json {
  switch (type.kind) {
    case "text":
      return { type: "string", minLength: type.minLength, maxLength: type.maxLength }
    case "id":
      return { type: "integer", minimum: 0 }
    case "boolean":
      return { type: "boolean" }
    case "decimal":
      return decimalSchema(type.range)
    case "word":
      return { type: "string", enum: type.values }
    case "words":
      return { type: "array", items: { type: "string", enum: type.values }, uniqueItems: true }
    case "object": {
      const schema = fieldsSchema(type.fields)
      return type.nullable ? { ...schema, type: ["object", "null"] } : schema
    }
  }
}

function decimalSchema(range: { readonly min: string; readonly max: string } | undefined): Json {
  const bounds = range === undefined ? "above zero" : `from ${range.min} to ${range.max}`
  return {
    type: "string",
    pattern: range === undefined ? aboveZero : patternBetween(range),
    maxLength: maxDecimalDigits + 1,
    description: `A decimal ${bounds}, at most ${maxDecimalDigits} digits.`,
  }
}

/** What matches the decimals from `min` to `max`, both of them a tenth, a hundredth and so on. */
function patternBetween({ min, max }: { readonly min: string; readonly max: string }): string {
  assert.match(`${max} ${min}`, /^0\.0*1 0\.0*1$/)
  const [most, least] = [max.length - 3, min.length - 3] // zeros after the point
  return `^0\\.0{${most}}(?:10*|0{1,${least - most}}[1-9][0-9]*)$`
}

/**
 * What a bot sends of a struct: its members in snake case, without those that the daemon fills in. `bounds` are
 * what is asked of a member besides its type.
 */
function structBody(struct: StructType, bounds: Readonly<Record<string, Json>>): Json {
  const filledIn: readonly string[] = filledInFields.map(({ name }) => name)
  const fields = struct.fields.filter(({ name }) => !filledIn.includes(name))
  const names = [...fields.map(({ name }) => snakeCase(name)), "signature_chain_id"]
  return {
    type: "object",
    properties: {
      ...Object.fromEntries(
        fields
          .map((field) => [snakeCase(field.name), memberSchema(field)] as const)
          .map(([name, schema]) => [name, { ...schema, ...bounds[name] }]),
      ),
      signature_chain_id: { type: "integer", minimum: 0 },
      signer_address: parties["signer_address"],
    },
    required: names,
    additionalProperties: false,
    description: "The members of the struct that is signed, and the chain of the signature.",
  }
}

function memberSchema({ type }: StructField): Json {
  const bits = uintBits(type)
  if (bits !== undefined) return { type: "integer", minimum: 0, maximum: 2 ** bits - 1 }
  return type === "address" ? address : { type: "string" }
}
