import type { FieldError } from "../json.ts"

/** What can be wrong with a single field. Bots act on these words, so they never change. */
export const fieldRules = [
  "required",
  "unknown_field",
  "wrong_type",
  "value_not_allowed",
  "duplicate_value",
  "empty",
  "too_long",
  "not_decimal",
  "not_above_zero",
  "out_of_range",
  "not_address",
  "wrong_checksum",
  "not_bytes32",
  "wrong_service_chain",
  "wrong_signature_chain_id",
  "too_many_items",
  "field_of_orders",
  "too_large",
  "undisclosed",
] as const
type FieldRule = (typeof fieldRules)[number]

/** Makes an error about one field; `path` leads to it, and `message` says what to send. */
export function fieldError(path: string, rule: FieldRule, message: string): FieldError {
  return { path, rule, message }
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

/** The error of a value that has another JSON type than the field. */
export function wrongType(path: string, expected: string): FieldError {
  return fieldError(path, "wrong_type", `send ${expected}`)
}
