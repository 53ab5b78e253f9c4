import { z } from "zod"

import { parseAddress, type Address } from "../../venue/address.ts"
import { compareDecimals, parseDecimal, zero, type Decimal } from "../../venue/decimal.ts"
import type { SymbolTable } from "../../venue/profile.ts"
import type { SizeBound } from "./policy.ts"

/** A name that goes into refusals and records. */
export const policyName = z
  .string({ error: "must be a name" })
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,63}$/,
    "must be a name: 1 to 64 of a-z 0-9 . _ -, starting with a letter or digit",
  )

/** A list that holds something: an empty one would match nothing, which nobody means to write. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z
    .array(item, { error: "must be a list" })
    .refine((items) => items.length > 0, "must name at least one; or leave it out")
}

/** A list of some of `words`. */
export function listOfWords<const Words extends readonly [string, ...string[]]>(words: Words) {
  const error = `must be one of ${words.join(", ")}`
  return listOf(z.enum(words, { error }))
}

/** `1%` as the fraction 0.01. */
export const percentage = textAs(parsePercentage, () => "must be a percentage such as 1%")

/** An address, read as requests' addresses are. */
export const addressText = textAs<Address>(
  parseAddress,
  (text) => `${quoted(text)} isn't an address; write 0x and 40 hex digits, with a right checksum`,
)

/** A whole number of days that fits approveAgent's uint32. */
export const wholeDays = textAs(parseDays, () => "must be a whole number of days above zero")

/** `true` or `false`. */
export const yesOrNo = z
  .enum(["true", "false"], { error: "must be true or false" })
  .transform((word) => word === "true")

/** A symbol's id, by its name in the table or as digits. Ids that the table doesn't list are admitted. */
export function symbolRef(symbols: SymbolTable) {
  return textAs((text) => parseSymbol(text, symbols), unknownSymbol)
}

/** One maximum for all, or a map from symbols to theirs, with `default` for the others. */
export function sizeBound(symbols: SymbolTable) {
  return z.unknown().transform((input, context): SizeBound => {
    const problem = (message: string, ...path: string[]): SizeBound => {
      context.issues.push({ code: "custom", input, message, path })
      return z.NEVER
    }
    if (typeof input === "string") {
      const max = parseDecimal(input)
      if (max !== undefined && compareDecimals(max, zero) > 0) return { kind: "scalar", max }
      return problem(`${quoted(input)} isn't a decimal number above zero such as 0.5`)
    }
    if (typeof input !== "object" || input === null || Array.isArray(input)) {
      return problem("must be a number or a map from symbols to numbers")
    }
    const written = Object.entries(input)
    if (written.length === 0) return problem("must name at least one symbol")
    return boundBySymbol(written, symbols, problem)
  })
}

function boundBySymbol(
  written: readonly (readonly [string, unknown])[],
  symbols: SymbolTable,
  problem: (message: string, ...path: string[]) => void,
): SizeBound {
  const maxBySymbol = new Map<number, Decimal>()
  let defaultMax: Decimal | undefined
  for (const [name, text] of written) {
    const max = typeof text === "string" ? parseDecimal(text) : undefined
    const id = parseSymbol(name, symbols)
    if (max === undefined) problem("must be a decimal number such as 0.5", name)
    else if (name === "default") defaultMax = max
    else if (id === undefined) problem(unknownSymbol(name), name)
    else if (maxBySymbol.has(id)) problem(`${name} is named twice, by name and by id`, name)
    else maxBySymbol.set(id, max)
  }
  return { kind: "by_symbol", maxBySymbol, defaultMax }
}

function textAs<Value>(
  parse: (text: string) => Value | undefined,
  messageFor: (text: string) => string,
) {
  return z
    .string({ error: (issue) => messageFor(typeof issue.input) })
    .transform((text, context): Value => {
      const value = parse(text)
      if (value !== undefined) return value
      context.issues.push({ code: "custom", input: text, message: messageFor(text) })
      return z.NEVER
    })
}

function parsePercentage(text: string): Decimal | undefined {
  if (!text.endsWith("%")) return undefined
  const percent = parseDecimal(text.slice(0, -1))
  return percent && { coefficient: percent.coefficient, scale: percent.scale + 2 }
}

const maxUint32 = 2 ** 32 - 1

function parseDays(text: string): number | undefined {
  if (!/^[1-9]\d{0,9}$/.test(text)) return undefined
  const days = Number(text)
  return days <= maxUint32 ? days : undefined
}

/** Digits are always an id, so that no symbol's name can take another one's place. */
function parseSymbol(text: string, symbols: SymbolTable): number | undefined {
  if (/^(?:0|[1-9]\d{0,14})$/.test(text)) return Number(text)
  return symbols.byName.get(text)?.id
}

function unknownSymbol(text: string): string {
  return `${quoted(text)} is not in venue.yaml's symbols; use its id or add it`
}

function quoted(text: string): string {
  return JSON.stringify(text)
}
