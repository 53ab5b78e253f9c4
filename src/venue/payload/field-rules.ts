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
export type FieldRule = (typeof fieldRules)[number]

/** Makes an error about one field; `path` leads to it, and `message` says what to send. */
export function fieldError(path: string, rule: FieldRule, message: string): FieldError {
  return { path, rule, message }
}
