import * as z from "zod"
import { RE2JS } from "re2js"

import { err, ok, type Result } from "../../../std/result.ts"
import { durationWithin, parseDurationMs } from "../../../std/time/duration.ts"
import { quoted } from "../../../std/visible.ts"
import { parseAddress, type Address } from "../../../venue/address.ts"
import {
  compareDecimals,
  one,
  parseDecimal,
  parsePercentage,
  zero,
  type Decimal,
  wholeDecimal,
} from "../../../venue/decimal.ts"
import { isJsonObject, type JsonObject, type JsonValue, parsePointer } from "../../../venue/json.ts"
import type { SymbolTable } from "../../../venue/profile.ts"
import { localClock, type LocalClock } from "./local-clock.ts"

/** A name that goes into refusals and records. */
export const policyName = z
  .string({ error: "must be a name" })
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,63}$/,
    "must be a name: 1 to 64 of a-z 0-9 . _ -, starting with a letter or digit",
  )

/** A list that isn't empty: an empty one would match nothing, which is surely a mistake. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z
    .array(item, { error: "must be a list" })
    .refine((items) => items.length > 0, "must name at least one; or leave it out")
    .meta({ minItems: 1 })
}

/** One of `words`. */
export function oneOf<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.enum(words, { error: `must be one of ${words.join(", ")}` })
}

/** A list of some of `words`. */
export function listOfWords<const Words extends readonly [string, ...string[]]>(words: Words) {
  return listOf(oneOf(words))
}

/** `1%` as the fraction 0.01. */
export const percentage = textAs(parsePercentage, () => "must be a percentage such as 1%")

/** A fraction from 0 to 1, which is what the venue calls slippage. */
export const fraction = asNumber(
  textAs(parseFraction, () => "must be a fraction such as 0.01, at most 1"),
)

/** A decimal number, zero too. */
export const amount = asNumber(
  textAs(parseDecimal, (text) => `${quoted(text)} isn't a decimal number such as 0.5`),
)

/** A decimal number above zero. */
export const amountAboveZero = asNumber(textAs(parseAboveZero, notAboveZero))

/** An address, parsed as in requests. */
export const addressText = textAs<Address>(
  parseAddress,
  (text) => `${quoted(text)} isn't an address; write 0x and 40 hex digits, with a right checksum`,
)

/** A whole number of days that fits approveAgent's uint32. */
export const wholeDays = textAs(parseDays, () => "must be a whole number of days above zero").meta({
  written: { type: ["integer", "string"] },
})

/** `true` or `false`. */
export const yesOrNo = z
  .enum(["true", "false"], { error: "must be true or false" })
  .transform((word) => word === "true")
  .meta({ written: { type: "boolean" } })

/** A JSON Pointer into a request's body. */
export const fieldPointer = textAs(
  parseFieldPointer,
  () => "must be a JSON Pointer such as /amount",
)

/** A time zone by its IANA name, with a clock of its own. */
export const timeZone = textAs(
  (zone): { readonly zone: string; readonly clock: LocalClock } | undefined => {
    const clock = localClock(zone)
    return clock && { zone, clock }
  },
  (zone) => `${JSON.stringify(zone)} isn't a time zone; write one such as Europe/Berlin or UTC`,
)

/** A regular expression in RE2's syntax. */
export const pattern = z
  .string({ error: "must be a regular expression" })
  .transform((text, context): Pattern => {
    const parsed = parsePattern(text)
    if (parsed.ok) return parsed.value
    tell(context, parsed.error)
    return z.NEVER
  })

/** A duration within bounds, in milliseconds. */
export function durationMs(bounds: {
  readonly least: string
  readonly most: string
  readonly example: string
}) {
  const leastMs = parseDurationMs(bounds.least) ?? 0
  const mostMs = parseDurationMs(bounds.most) ?? 0
  return textAs(
    (text) => durationWithin(text, leastMs, mostMs),
    () => `must be a duration from ${bounds.least} to ${bounds.most} such as ${bounds.example}`,
  )
}

/** A symbol's id, from its name in the table or from digits. Ids that aren't in the table are accepted. */
export function symbolRef(symbols: SymbolTable) {
  return textAs(
    (text) => parseSymbol(text, symbols),
    (text) => unknownSymbol(text),
  ).meta({ written: { type: ["string", "integer"] } })
}

/** Digits are always an id, so that no symbol's name can hide another symbol. */
export function parseSymbol(text: string, symbols: SymbolTable): number | undefined {
  if (/^(?:0|[1-9]\d{0,14})$/.test(text)) return Number(text)
  return symbols.byName.get(text)?.id
}

/** The message for a symbol that isn't in the table. */
export function unknownSymbol(text: string): string {
  return `${quoted(text)} is not in venue.yaml's symbols; use its id or add it`
}

/** The message for a text that isn't an amount above zero. */
export function notAboveZero(text: string): string {
  return `${quoted(text)} isn't a decimal number above zero such as 0.5`
}

/** Parses a decimal above zero. */
export function parseAboveZero(text: string): Decimal | undefined {
  const value = parseDecimal(text)
  return value !== undefined && compareDecimals(value, zero) > 0 ? value : undefined
}

/** Text that `parse` accepts; if not, the message says what to write. */
export function textAs<Value>(
  parse: (text: string) => Value | undefined,
  messageFor: (text: string) => string,
) {
  return z
    .string({
      error: ({ input }) => (input === undefined ? "must be given" : messageFor(typeof input)),
    })
    .transform((text, context): Value => {
      const value = parse(text)
      if (value !== undefined) return value
      tell(context, messageFor(text))
      return z.NEVER
    })
}

/** Editors read `0.5` without quotes as a number; here every scalar is the text that is written. */
function asNumber<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.meta({ written: { type: ["string", "number"] } })
}

function parseFraction(text: string): Decimal | undefined {
  const value = parseDecimal(text)
  return value !== undefined && compareDecimals(value, one) <= 0 ? value : undefined
}

const maxUint32 = 2 ** 32 - 1

function parseDays(text: string): number | undefined {
  if (!/^[1-9]\d{0,9}$/.test(text)) return undefined
  const days = Number(text)
  return days <= maxUint32 ? days : undefined
}

/** A key with one sentence about it and an example. Editors and the reference show both. */
export function required<Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  example: unknown,
): Schema {
  return schema.meta({ description, example })
}

/** A key that may be left out, described like a required one. */
export function described<Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  example: unknown,
) {
  return required(schema.optional(), description, example)
}

/** The message for a value that isn't a map. */
export function objectError(expected: string) {
  return (issue: { readonly code?: string }): string | undefined =>
    issue.code === "invalid_type" ? `must be ${expected}` : undefined
}

/** Reports a problem from a transform, at `path` below the value. */
export function tell(context: z.RefinementCtx, message: string, ...path: string[]): void {
  context.issues.push({ code: "custom", input: undefined, message, path })
}

/**
 * A regular expression that is tested on a whole text, in time linear in its length. `undefined` for a text
 * longer than {@link maxMatchedLength}.
 */
export type Pattern = {
  readonly source: string
  readonly matches: (text: string) => boolean | undefined
}

const maxPatternLength = 200
/** The most instructions of a compiled expression, and so the most steps per character. Repetition multiplies them. */
const maxProgramSize = 500
/** In UTF-16 units. With both bounds, no match delays others noticeably. */
const maxMatchedLength = 1_024

/** Parses a regular expression in RE2's syntax, which has no backreferences and no lookaround. The error says why not. */
export function parsePattern(source: string): Result<Pattern, string> {
  if (source.length === 0 || source.length > maxPatternLength) {
    return err(`must be a regular expression of 1 to ${maxPatternLength} characters`)
  }
  try {
    const compiled = RE2JS.compile(source)
    if (compiled.programSize() > maxProgramSize) return err("repeats too much; repeat less")
    compiled.testExact("") // builds its tables now, not at the first request
    const matches: Pattern["matches"] = (text) =>
      text.length > maxMatchedLength ? undefined : compiled.testExact(text)
    return ok({ source, matches })
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.replace("error parsing regexp: ", "") : ""
    return err(`isn't a regular expression in RE2's syntax: ${why}`)
  }
}

/** A JSON Pointer into a request's body, with its steps. */
export type FieldPointer = { readonly text: string; readonly steps: readonly string[] }

/** Parses a pointer of at least one step. */
function parseFieldPointer(text: string): FieldPointer | undefined {
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
