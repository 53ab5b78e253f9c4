import { utf8, decodeUtf8 } from "../std/bytes.ts"
import { err, ok, type Result } from "../std/result.ts"

/** A JSON value as the strict reader makes it: deeply frozen, objects without a prototype, numbers only safe integers. */
export type JsonValue = null | boolean | number | string | JsonArray | JsonObject
export type JsonArray = readonly JsonValue[]
export type JsonObject = { readonly [key: string]: JsonValue }

/** Narrows to an object; an array or `null` isn't one. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** One broken rule of the venue's interface. `path` is a JSON Pointer into the bot's body; `""` is the body itself. */
export type FieldError = { readonly path: string; readonly rule: string; readonly message: string }

/** Appends one step to a JSON Pointer (RFC 6901 §3: `~` is `~0`, `/` is `~1`). */
export function pointerTo(parent: string, step: string | number): string {
  return `${parent}/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`
}

const pointerPattern = /^(?:\/(?:[^~/]|~[01])+)+$/

/** The steps of a JSON Pointer (RFC 6901) of at least one step, none of them empty; else `undefined`. */
export function parsePointer(text: string): readonly string[] | undefined {
  if (!pointerPattern.test(text)) return undefined
  return text
    .slice(1)
    .split("/")
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
}

/**
 * Follows `pointer` through objects; `value` is `undefined` when it leads nowhere. `beside` are pointers to the other
 * fields of the objects on the way, without those of the body itself.
 */
export function findAt(
  body: JsonObject,
  pointer: string,
): { readonly value: JsonValue | undefined; readonly beside: readonly string[] } {
  let value: JsonValue | undefined = body
  let path = ""
  const beside: string[] = []
  for (const step of parsePointer(pointer) ?? []) {
    if (!isJsonObject(value)) return { value: undefined, beside }
    const parent = path
    if (parent !== "") {
      const others = Object.keys(value).filter((name) => name !== step)
      beside.push(...others.map((name) => pointerTo(parent, name)))
    }
    value = Object.hasOwn(value, step) ? value[step] : undefined
    path = pointerTo(parent, step)
  }
  return { value, beside }
}

/**
 * Why bytes aren't strict JSON. `offset` counts bytes from 0. `message` is a sentence; it names the place and
 * quotes no value.
 */
export type JsonProblem = { readonly offset: number; readonly message: string }

/** How deep arrays and objects may nest; one at the top is at depth 1. */
export const maxJsonDepth = 16

/**
 * Parses UTF-8 bytes as JSON (RFC 8259) that every reader understands alike.
 *
 * Also refused: a byte order mark, a key that is there twice or in two cases, keys that JavaScript gives a
 * meaning, lone surrogates, and numbers other than integers within ±(2^53 − 1). The result is deeply
 * frozen and its objects have no prototype.
 */
export function parseStrictJson(
  bytes: Uint8Array,
  maxDepth = maxJsonDepth,
): Result<JsonValue, JsonProblem> {
  const decoded = decodeUtf8(bytes)
  if (!decoded.ok) return err(problemAt(decoded.error, "the body isn't UTF-8"))
  const reader: Reader = { text: decoded.value, maxDepth, at: 0, complaint: "" }
  const value = parseBody(reader)
  if (value !== broken) return ok(value)
  const offset = utf8(reader.text.slice(0, reader.at)).length
  return err(problemAt(offset, reader.complaint))
}

function problemAt(offset: number, complaint: string): JsonProblem {
  return { offset, message: `${complaint} (at byte ${offset})` }
}

/** Stands before the UTF-16 unit `at`. Every `parse…` function steps over what it parses, or complains. */
type Reader = {
  readonly text: string
  readonly maxDepth: number
  at: number
  complaint: string
}

/** What a `parse…` function returns after a complaint; nothing is parsed after it. */
const broken = Symbol("broken")

function complain(reader: Reader, complaint: string, at: number = reader.at): typeof broken {
  reader.complaint = complaint
  reader.at = at
  return broken
}

function parseBody(reader: Reader): JsonValue | typeof broken {
  if (reader.text.startsWith("\ufeff")) {
    return complain(reader, "the body starts with a byte order mark; leave it out")
  }
  skipSpace(reader)
  if (reader.at === reader.text.length) return complain(reader, "the body is empty; send JSON")
  const value = parseValue(reader, 1)
  if (value === broken) return broken
  skipSpace(reader)
  return reader.at === reader.text.length
    ? value
    : complain(reader, "the JSON ends here, but the body goes on; send one value")
}

function parseValue(reader: Reader, depth: number): JsonValue | typeof broken {
  switch (reader.text.charAt(reader.at)) {
    case "{":
      return depth > reader.maxDepth ? complainOfDepth(reader) : parseObject(reader, depth)
    case "[":
      return depth > reader.maxDepth ? complainOfDepth(reader) : parseArray(reader, depth)
    case '"':
      return parseString(reader)
    default:
      return parseWord(reader)
  }
}

function complainOfDepth(reader: Reader): typeof broken {
  return complain(reader, `arrays and objects are nested more than ${reader.maxDepth} deep`)
}

function parseArray(reader: Reader, depth: number): JsonArray | typeof broken {
  const items: JsonValue[] = []
  reader.at += 1
  if (skipPast(reader, "]")) return Object.freeze(items)
  do {
    const item = parseValue(reader, depth + 1)
    if (item === broken) return broken
    items.push(item)
  } while (skipPast(reader, ","))
  return skipPast(reader, "]") ? Object.freeze(items) : complain(reader, "expected a comma or ]")
}

function parseObject(reader: Reader, depth: number): JsonObject | typeof broken {
  const object = Object.create(null) as Record<string, JsonValue>
  reader.at += 1
  if (skipPast(reader, "}")) return Object.freeze(object)
  const foldedKeys = new Set<string>()
  do {
    const key = parseKey(reader, object, foldedKeys)
    const value = key === broken ? broken : parseValue(reader, depth + 1)
    if (key === broken || value === broken) return broken
    object[key] = value
  } while (skipPast(reader, ","))
  return skipPast(reader, "}") ? Object.freeze(object) : complain(reader, "expected a comma or }")
}

const forbiddenKeys = new Set(["__proto__", "constructor", "prototype"])

/** Parses a key and its colon; refuses a key that `object` can't have or has already. */
function parseKey(
  reader: Reader,
  object: JsonObject,
  foldedKeys: Set<string>,
): string | typeof broken {
  const start = reader.at
  if (reader.text[start] !== '"') return complain(reader, "expected a key in double quotes")
  const key = parseString(reader)
  if (key === broken) return broken
  if (forbiddenKeys.has(key)) return complain(reader, `the key ${quote(key)} isn't allowed`, start)
  const folded = foldCase(key)
  if (foldedKeys.has(folded)) {
    const fault = Object.hasOwn(object, key) ? "is there twice" : "is there in another case too"
    return complain(reader, `the key ${quote(key)} ${fault}`, start)
  }
  foldedKeys.add(folded)
  return skipPast(reader, ":") ? key : complain(reader, "expected a colon after the key")
}

/** Gives keys that differ only in case one form, by the Unicode rules of the laxest JSON readers. */
function foldCase(key: string): string {
  if (/^[a-z0-9_]*$/.test(key)) return key
  return key.toLowerCase().toUpperCase().toLowerCase()
}

const maxQuotedUnits = 40

/** Printable ASCII of bounded length, whatever the key holds. */
function quote(key: string): string {
  const shown = key.length > maxQuotedUnits ? `${key.slice(0, maxQuotedUnits)}...` : key
  return JSON.stringify(shown).replaceAll(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )
}

const stringStop = /["\\\u0000-\u001f]/g

function parseString(reader: Reader): string | typeof broken {
  const start = reader.at
  reader.at += 1
  let text = takeRun(reader, stringStop)
  while (reader.text[reader.at] === "\\") {
    const character = parseEscape(reader)
    if (character === broken) return broken
    text += character + takeRun(reader, stringStop)
  }
  if (reader.at === reader.text.length) return complain(reader, "the string isn't closed", start)
  if (reader.text[reader.at] !== '"') {
    return complain(reader, "a control character in a string must be written as an escape")
  }
  reader.at += 1
  if (text.isWellFormed()) return text
  return complain(reader, "the string holds a lone surrogate, which is half a character", start)
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
])

function parseEscape(reader: Reader): string | typeof broken {
  const letter = reader.text.charAt(reader.at + 1)
  if (letter === "u") return parseUnicodeEscape(reader)
  const character = escapes.get(letter)
  if (character === undefined) return complain(reader, "JSON has no such escape")
  reader.at += 2
  return character
}

function parseUnicodeEscape(reader: Reader): string | typeof broken {
  const digits = reader.text.slice(reader.at + 2, reader.at + 6)
  if (!/^[0-9a-fA-F]{4}$/.test(digits)) return complain(reader, "\\u takes four hex digits")
  reader.at += 6
  return String.fromCharCode(Number.parseInt(digits, 16))
}

const wordStop = /[^-+.\w]/g
const literals: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ["true", true],
  ["false", false],
  ["null", null],
])

/** Parses `true`, `false`, `null` or a number. */
function parseWord(reader: Reader): JsonValue | typeof broken {
  const start = reader.at
  const word = takeRun(reader, wordStop)
  const literal = literals.get(word)
  if (literal !== undefined) return literal
  if (!/^[-\d]/.test(word)) return complain(reader, "expected a value", start)
  if (isExactInteger(word)) return Number(word)
  const message = "a number must be an integer from -(2^53 - 1) to 2^53 - 1; send others as strings"
  return complain(reader, message, start)
}

/** Whether every JSON reader gets the same number: one that isn't rounded and isn't -0. */
function isExactInteger(word: string): boolean {
  if (!/^-?(?:0|[1-9]\d{0,15})$/.test(word)) return false
  return word !== "-0" && Number.isSafeInteger(Number(word))
}

/** Steps up to the first character that the global `stop` finds, or to the end. */
function takeRun(reader: Reader, stop: RegExp): string {
  stop.lastIndex = reader.at
  const end = stop.test(reader.text) ? stop.lastIndex - 1 : reader.text.length
  const run = reader.text.slice(reader.at, end)
  reader.at = end
  return run
}

/** Steps over spaces. If `mark` follows, steps over it and the spaces after it too. */
function skipPast(reader: Reader, mark: string): boolean {
  skipSpace(reader)
  if (reader.text[reader.at] !== mark) return false
  reader.at += 1
  skipSpace(reader)
  return true
}

function skipSpace(reader: Reader): void {
  while (isSpace(reader.text.charCodeAt(reader.at))) reader.at += 1
}

// RFC 8259 §2: space, line feed, carriage return, tab.
function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09
}

/**
 * Freezes plain objects, arrays and the values of maps, all the way down, and returns them.
 *
 * The entries of a `ReadonlyMap` and the bytes of a `Uint8Array` can't be frozen; only their types guard them.
 */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return value
  const inner: Iterable<unknown> = value instanceof Map ? value.values() : Object.values(value)
  for (const part of inner) deepFreeze(part)
  return Object.freeze(value)
}

/** Ignores case and punctuation: `target-address` and `targetAddress` become one. NFKC makes `ſ` and `Ｎ` plain letters. */
export function foldName(name: string): string {
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, "")
}
