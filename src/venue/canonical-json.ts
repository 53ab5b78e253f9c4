import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts"
import type { CanonicalForm } from "./profile.ts"

/**
 * Compact JSON with sorted keys: the bytes whose hash is signed (Signing Type A, step 2).
 *
 * Keys are sorted by code point. Numbers come from the strict reader, so they are integers and print in
 * one way only.
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

/** Code point order, which is also the order of the UTF-8 bytes; `<` alone would compare UTF-16 units. */
function byCodePoint(a: string, b: string): number {
  const left = Array.from(a)
  const right = Array.from(b)
  for (const [index, character] of left.entries()) {
    const other = right[index]
    if (other === undefined) return 1
    const difference = (character.codePointAt(0) ?? 0) - (other.codePointAt(0) ?? 0)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}
