import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts"
import type { CanonicalForm } from "./profile.ts"

/**
 * Compact JSON with sorted keys: the bytes whose hash is signed (Signing Type A, step 2).
 *
 * Keys are sorted by code point. Numbers come from the strict reader, so they are integers and print in
 * one way only.
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

const htmlCharacters = /[<>&\u2028\u2029]/g

function writeString(text: string, form: CanonicalForm): string {
  const plain = JSON.stringify(text)
  if (form.escape === "minimal") return plain
  return plain.replaceAll(
    htmlCharacters,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )
}

/** Code point order, which is also the order of the UTF-8 bytes; `<` would compare UTF-16 units. */
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
