import type * as z from "zod"

import type { OrderFlag, OrderType } from "../../../venue/payload/payload.ts"
import type { OperationId, SymbolTable } from "../../../venue/profile.ts"
import {
  agrees,
  partText,
  shortText,
  type JudgedOrder,
  type Polarity,
  type Reading,
} from "./judged-request.ts"
import { type Pattern, listOf, pattern } from "../values/scalars.ts"

/**
 * One key of an entry: how it is written, what fits it, and its words for people. `On` is what it looks at: an order
 * or leg, or the whole request. Its functions are methods, so that one table can have matchers of all kinds of
 * values. Each gets only values that its own schema made.
 */
export type Matcher<Value, On, Reason extends string = string> = {
  /** The key in policy files. */
  readonly key: string
  schema(symbols: SymbolTable): z.ZodType<Value>
  /** One sentence for editors and the reference, and an example. */
  readonly meaning: string
  readonly example: unknown
  /** For the reference: what may be written, if it isn't a list of words. */
  readonly written?: string
  /** For the reference: what can't be read, or can mean several values. */
  readonly unreadable?: string
  /** The reason that a rule gives when it refuses. Bots act on it. */
  readonly reason: Reason
  /** An unreadable value fits no rule, and every entry of the other lists (`deny`). */
  fits(value: Value, on: On, polarity: Polarity): boolean
  /** What the request has that doesn't fit, as text for people. */
  asked(on: On, symbols: SymbolTable, value: Value): string
  /** What the entry allows, as text for people. */
  allowed(value: Value, symbols: SymbolTable): string
  /** Its form in a limit's digest: values that mean the same have the same form. */
  form(value: Value): unknown
  /** Whether a rule surely allows no more once a written list has `fewer` or `more` items. */
  readonly narrowedBy?: "fewer" | "more"
  /** The operations that it is about, if not all. */
  readonly speaksOf?: ReadonlySet<OperationId>
  readonly contradictions?: readonly Contradiction<Value>[]
}

/** A condition that no order can meet together with another matcher of the entry. */
type Contradiction<Value> = {
  readonly message: string
  isIn(value: Value, beside: Beside): boolean
}

/** The other matchers of the same entry. */
export type Beside = {
  readonly orderTypes?: readonly OrderType[] | undefined
  readonly requireFlags?: readonly OrderFlag[] | undefined
}

/** What differs between matchers of one kind. */
type Told<Value, On, Reason extends string> = Omit<
  Matcher<Value, On, Reason>,
  "schema" | "fits" | "asked" | "allowed" | "form" | "narrowedBy"
>

type Listing<Value, Reason extends string> = Told<readonly Value[], JudgedOrder, Reason> & {
  readonly item: (symbols: SymbolTable) => z.ZodType<Value>
  /** Every value that an order or leg may have. */
  readonly read: (order: JudgedOrder) => Reading<Value>
  readonly text?: (value: Value, symbols: SymbolTable) => string
}

/** A matcher that lists the values which an order may have. */
export function listMatcher<Value extends string | number, const Reason extends string>({
  item,
  read,
  text = String,
  ...told
}: Listing<Value, Reason>): Matcher<readonly Value[], JudgedOrder, Reason> {
  const textOf = (values: Reading<Value>, symbols: SymbolTable): string =>
    readingText(values?.map((value) => text(value, symbols)))
  return {
    ...told,
    schema: (symbols) => listOf(item(symbols)),
    fits: (list, order, polarity) => agrees(read(order), polarity, (value) => list.includes(value)),
    asked: (order, symbols) => `${partText(order)}${textOf(read(order), symbols)}`,
    allowed: textOf,
    form: (list) => sorted(list.map(String)),
    narrowedBy: "fewer",
  }
}

type Matching<On, Reason extends string> = Told<Pattern, On, Reason> & {
  readonly read: (on: On) => Reading<string>
}

/** A matcher that tests a text with a regular expression. A text that is too long is unreadable. */
export function patternMatcher<On, const Reason extends string>({
  read,
  ...told
}: Matching<On, Reason>): Matcher<Pattern, On, Reason> {
  return {
    ...told,
    written: "regular expression",
    schema: () => pattern,
    fits: ({ matches }, on, polarity) => {
      const fits = read(on)?.map(matches)
      const readable = fits?.includes(undefined) === true ? undefined : fits
      return agrees(readable, polarity, (fit) => fit === true)
    },
    asked: (on) => readingText(read(on)?.map(shortText)),
    allowed: ({ source }) => source,
    form: ({ source }) => source,
  }
}

/** A reading as text for people. */
export function readingText(reading: Reading<string>): string {
  if (reading === undefined) return "unreadable"
  return reading.length === 0 ? "none" : reading.join(", ")
}

/** Each word once, sorted, so that lists with the same meaning are equal. `null` without a list. */
export function sorted(words: readonly string[] | undefined): readonly string[] | null {
  return words === undefined ? null : [...new Set(words)].sort()
}
