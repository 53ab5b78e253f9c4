import { err, ok, type Result } from "../std/result.ts"
import { missingField, unknownField, wrongType } from "./check-fields.ts"
import { pointerTo, type FieldError } from "./field-error.ts"
import { fieldError } from "./field-rules.ts"
import type { JsonArray, JsonObject } from "./json.ts"
import { findAt, parsePointer } from "./json-pointer.ts"

/** The longest batch that is read. The interface names no bound; this one keeps one request's work small. */
export const maxBatchItems = 100

/** Finds the items of a batch and refuses every other field but `extraFields`. */
export function readItems(
  body: JsonObject,
  pointer: string,
  extraFields: readonly string[],
): Result<JsonArray, readonly FieldError[]> {
  const found = findAt(body, pointer)
  const known = [parsePointer(pointer)?.[0], ...extraFields]
  const unknown = Object.keys(body)
    .filter((name) => !known.includes(name))
    .map((name) => pointerTo("", name))
  const beside = [...unknown, ...found.beside].map((path) => unknownField(path))

  const items = found.value
  if (items === undefined) return err([missingField(pointer), ...beside])
  if (!isJsonArray(items)) return err([wrongType(pointer, "an array"), ...beside])
  const errors = [...checkCount(items, pointer), ...beside]
  return errors.length > 0 ? err(errors) : ok(items)
}

function checkCount(items: JsonArray, pointer: string): readonly FieldError[] {
  if (items.length === 0) return [fieldError(pointer, "empty", "send at least one item")]
  if (items.length <= maxBatchItems) return []
  const message = `send at most ${maxBatchItems} items in one batch, not ${items.length}`
  return [fieldError(pointer, "too_many_items", message)]
}

function isJsonArray(value: unknown): value is JsonArray {
  return Array.isArray(value)
}
