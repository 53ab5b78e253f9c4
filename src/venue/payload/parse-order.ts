import { compareDecimals, maxDecimalDigits, parseDecimal, zero, type Decimal } from "../decimal.ts"
import {
  pointerTo,
  type FieldError,
  isJsonObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from "../json.ts"
import { fieldError } from "./field-rules.ts"
import type { BodyField, FieldType } from "./order-fields.ts"

/** Where an object stands in the body, and which further fields it may hold. */
export type Spot = { readonly path: string; readonly alsoAllowed: readonly string[] }

/** Checks each field of an object by itself, and refuses fields that aren't listed. */
export function checkFields(
  fields: readonly BodyField[],
  object: JsonObject,
  { path, alsoAllowed }: Spot,
): readonly FieldError[] {
  const known = new Set([...fields.map((field) => field.name), ...alsoAllowed])
  return [
    ...fields.flatMap((field) => checkField(field, object, pointerTo(path, field.name))),
    ...Object.keys(object)
      .filter((name) => !known.has(name))
      .map((name) => unknownField(pointerTo(path, name))),
  ]
}

/** The error of a field that the interface doesn't document. */
export function unknownField(path: string): FieldError {
  return fieldError(
    path,
    "unknown_field",
    "this field isn't documented; leave it out, or have extra_fields in venue.yaml admit it",
  )
}

/** The error of a required field that is absent. */
export function missingField(path: string): FieldError {
  return fieldError(path, "required", "this field is required; add it")
}

function checkField(field: BodyField, object: JsonObject, path: string): readonly FieldError[] {
  const value = Object.hasOwn(object, field.name) ? object[field.name] : undefined
  if (value === undefined) return field.required ? [missingField(path)] : []
  return checkValue(field.type, value, path)
}

function checkValue(type: FieldType, value: JsonValue, path: string): readonly FieldError[] {
  switch (type.kind) {
    case "text":
      return checkText(type, value, path)
    case "id":
      return checkId(value, path)
    case "boolean":
      return checkBoolean(value, path)
    case "decimal":
      return checkDecimal(type, value, path)
    case "word":
      return checkWord(type.values, value, path)
    case "words":
      return checkWords(type.values, value, path)
    case "object":
      return checkObject(type, value, path)
  }
}

type TypeOf<Kind extends FieldType["kind"]> = Extract<FieldType, { kind: Kind }>

function checkText(type: TypeOf<"text">, value: JsonValue, path: string): readonly FieldError[] {
  if (typeof value !== "string") return [wrongType(path, "a string")]
  const length = Array.from(value).length
  if (length < type.minLength) {
    return [fieldError(path, "empty", "this field is empty; fill it in or leave it out")]
  }
  if (length <= type.maxLength) return []
  return [fieldError(path, "too_long", `send at most ${type.maxLength} characters, not ${length}`)]
}

function checkBoolean(value: JsonValue, path: string): readonly FieldError[] {
  return typeof value === "boolean" ? [] : [wrongType(path, "true or false")]
}

function checkId(value: JsonValue, path: string): readonly FieldError[] {
  if (typeof value !== "number" || !Number.isSafeInteger(value))
    return [wrongType(path, "an integer")]
  return value >= 0 ? [] : [fieldError(path, "out_of_range", "send an integer that isn't negative")]
}

function checkDecimal(
  type: TypeOf<"decimal">,
  value: JsonValue,
  path: string,
): readonly FieldError[] {
  if (typeof value !== "string") return [wrongType(path, 'a decimal string like "0.5"')]
  const decimal = parseDecimal(value)
  if (decimal === undefined) {
    const message = `send a decimal like "0.5": no sign, exponent, space or leading zero, at most ${maxDecimalDigits} digits`
    return [fieldError(path, "not_decimal", message)]
  }
  if (compareDecimals(decimal, zero) === 0) {
    return [fieldError(path, "not_above_zero", "send a decimal above zero")]
  }
  if (type.range === undefined || isWithin(decimal, type.range)) return []
  const { min, max } = type.range
  return [fieldError(path, "out_of_range", `send a decimal from ${min} to ${max}`)]
}

function isWithin(
  decimal: Decimal,
  range: { readonly min: string; readonly max: string },
): boolean {
  const min = parseDecimal(range.min)
  const max = parseDecimal(range.max)
  if (min === undefined || max === undefined) return false
  return compareDecimals(decimal, min) >= 0 && compareDecimals(decimal, max) <= 0
}

function checkWord(
  values: readonly string[],
  value: JsonValue,
  path: string,
): readonly FieldError[] {
  if (typeof value !== "string") return [wrongType(path, `one of the strings ${values.join(", ")}`)]
  if (values.includes(value)) return []
  return [fieldError(path, "value_not_allowed", `send one of ${values.join(", ")}`)]
}

function checkWords(
  values: readonly string[],
  value: JsonValue,
  path: string,
): readonly FieldError[] {
  if (!Array.isArray(value)) return [wrongType(path, `an array of ${values.join(", ")}`)]
  const words = value as JsonArray // Array.isArray narrows a union with a readonly array to any[]
  return words.flatMap((word, index) => {
    const itemPath = pointerTo(path, index)
    if (words.indexOf(word) === index) return checkWord(values, word, itemPath)
    return [fieldError(itemPath, "duplicate_value", "this value is there already; send it once")]
  })
}

function checkObject(
  type: TypeOf<"object">,
  value: JsonValue,
  path: string,
): readonly FieldError[] {
  if (value === null && type.nullable) return []
  if (!isJsonObject(value)) return [wrongType(path, "an object")]
  return checkFields(type.fields, value, { path, alsoAllowed: [] })
}

/** The error of a value that has another JSON type than the field. */
export function wrongType(path: string, expected: string): FieldError {
  return fieldError(path, "wrong_type", `send ${expected}`)
}

/** The fields that say who signs and until when. They are never business fields. */
export const signingFields: readonly string[] = [
  "signer_address",
  "target_address",
  "nonce",
  "expires_after",
  "signature",
]

const folded = new Map(signingFields.map((name) => [foldName(name), name]))

/** The signing field that a name means; a careless reader might ignore case and punctuation. */
export function signingFieldOf(name: string): string | undefined {
  return folded.get(foldName(name))
}

/** Ignores case and punctuation: `target-address` and `targetAddress` become one. NFKC makes `ſ` and `Ｎ` plain letters. */
export function foldName(name: string): string {
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "")
}
