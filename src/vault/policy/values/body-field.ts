import { parseDecimal, wholeDecimal, type Decimal } from "../../../venue/decimal.ts"
import { isJsonObject, type JsonObject, type JsonValue, parsePointer } from "../../../venue/json.ts"

/** A JSON Pointer into a request's body, with its steps. */
export type FieldPointer = { readonly text: string; readonly steps: readonly string[] }

/** Parses a pointer of at least one step. */
export function parseFieldPointer(text: string): FieldPointer | undefined {
  const steps = parsePointer(text)
  return steps && { text, steps }
}

/** What a pointer leads to, through objects and arrays; `undefined` when it leads nowhere. */
export function fieldAt(body: JsonObject, { steps }: FieldPointer): JsonValue | undefined {
  let value: JsonValue | undefined = body
  for (const step of steps) value = childOf(value, step)
  return value
}

/** A text, a whole number or a boolean, as text. Addresses are in lower case, because case means nothing there. */
export function fieldText(value: JsonValue | undefined): string | undefined {
  if (typeof value === "string") return withoutAddressCase(value)
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined
}

/** An exact amount: a decimal string or a whole number, neither below zero. */
export function fieldAmount(value: JsonValue | undefined): Decimal | undefined {
  if (typeof value === "string") return parseDecimal(value)
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) return undefined
  return wholeDecimal(BigInt(value))
}

/** Makes `0x` and 40 hex digits lower case; leaves other text as it is. */
export function withoutAddressCase(text: string): string {
  return /^0x[0-9a-f]{40}$/i.test(text) ? text.toLowerCase() : text
}

function childOf(value: JsonValue | undefined, step: string): JsonValue | undefined {
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[] // Array.isArray narrows to any[]
    return /^(?:0|[1-9]\d{0,8})$/.test(step) ? items[Number(step)] : undefined
  }
  return isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
}
