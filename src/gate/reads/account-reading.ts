// What the venue's answers say of an account, in the one form that the vault takes. A part is never taken for the whole: an
// answer that can't be read to its end says nothing.

import {
  type ReadOrder,
  readOrder,
  type ReadPosition,
  readPosition,
} from "../../link/calls/gate-methods.ts"
import { err, ok, type Result } from "../../std/result.ts"
import { successCode, type VenueAnswer } from "../http/reply.ts"
import type { EquityRead, OrdersRead, PositionsRead } from "./account-map.ts"
import { parseRawJson } from "./fetch-read.ts"
import { at, textAt, wordAt } from "./pointers.ts"

type Answer = Pick<VenueAnswer, "status" | "body">

/** What kept an answer from being read: a word for the log, such as `more_pages` or `unreadable_price`. */
type Unread = string

/** The open orders in an answer, without those of which nothing is left. */
export function ordersIn(answer: Answer, read: OrdersRead): Result<ReadOrder[], Unread> {
  return entriesIn(answer, read.list, (entry) => {
    const parsed = decimalOrder.safeParse({
      symbol: textAt(entry, read.symbol),
      is_buy: isBuyAt(entry, read.side),
      position_side: ifThere(entry, read.positionSide),
      remaining: remainingAt(entry, read.remaining),
      price: ifThere(entry, read.price),
      reduce_only:
        read.reduceOnly !== undefined && wordAt(entry, read.reduceOnly.at) === read.reduceOnly.is,
    })
    if (!parsed.success) return err(unreadable(parsed.error))
    return ok(isZero(parsed.data.remaining) ? [] : [parsed.data])
  })
}

/** The positions in an answer, without those that are flat. */
export function positionsIn(answer: Answer, read: PositionsRead): Result<ReadPosition[], Unread> {
  return entriesIn(answer, read.list, (entry) => {
    const parsed = decimalPosition.safeParse({
      symbol: textAt(entry, read.symbol),
      position_side: ifThere(entry, read.positionSide),
      quantity: signedAt(entry, read),
    })
    if (!parsed.success) return err(unreadable(parsed.error))
    return ok(isZero(parsed.data.quantity) ? [] : [parsed.data])
  })
}

/** What an account is worth, perhaps less than nothing, where the answer says so in the currency that is meant. */
export function equityIn(answer: Answer, { value, currency }: EquityRead): Result<string, Unread> {
  const read = bodyOf(answer)
  if (!read.ok) return read
  if (currency !== undefined && wordAt(read.value, currency.at) !== currency.is)
    return err("other_currency")
  const equity = textAt(read.value, value)
  return equity !== undefined && signedDecimal.test(equity) ? ok(equity) : err("unreadable_equity")
}

const decimal = /^(?:0|[1-9]\d*)(?:\.\d+)?$/
const signedDecimal = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/

const { remaining, price } = readOrder.shape
const decimalOrder = readOrder.extend({
  remaining: remaining.regex(decimal),
  price: price.unwrap().regex(decimal).optional(),
})
const decimalPosition = readPosition.extend({
  quantity: readPosition.shape.quantity.regex(signedDecimal),
})

function unreadable({ issues }: { readonly issues: readonly { path: PropertyKey[] }[] }): Unread {
  return `unreadable_${String(issues[0]?.path[0])}`
}

/** What `read` makes of each entry of a list. */
function entriesIn<Entry>(
  answer: Answer,
  list: readonly string[],
  read: (entry: unknown) => Result<readonly Entry[], Unread>,
): Result<Entry[], Unread> {
  const entries = listIn(answer, list)
  if (!entries.ok) return entries
  const found: Entry[] = []
  for (const entry of entries.value) {
    const each = read(entry)
    if (!each.ok) return each
    found.push(...each.value)
  }
  return ok(found)
}

/** The list in an answer that has it to its end. */
function listIn(answer: Answer, list: readonly string[]): Result<readonly unknown[], Unread> {
  const read = bodyOf(answer)
  if (!read.ok) return read
  const entries = at(read.value, list)
  if (!Array.isArray(entries)) return err("no_list")
  return hasMore(at(read.value, list.slice(0, -1))) ? err("more_pages") : ok(entries)
}

/** What an answer says that is a success. */
function bodyOf({ status, body }: Answer): Result<unknown, Unread> {
  if (status < 200 || status > 299) return err(`status_${status}`)
  const answer = parseRawJson(body)
  if (answer === undefined) return err("no_json")
  return at(answer, ["code"]) === successCode ? ok(answer) : err("no_success")
}

/** Whether what holds a list says that this isn't its end, by the interface's "Paginated data shape". */
function hasMore(page: unknown): boolean {
  const said = at(page, ["has_more"])
  return said === undefined ? (at(page, ["next_cursor"]) ?? null) !== null : said !== false
}

function isBuyAt(entry: unknown, { at: steps, buy, sell }: OrdersRead["side"]) {
  const word = wordAt(entry, steps)
  if (word === buy) return true
  return word === sell ? false : undefined
}

/** A text that need not be there; `null`, which no form takes, where something else is. */
function ifThere(entry: unknown, steps: readonly string[] | undefined): string | null | undefined {
  const isThere = steps !== undefined && (at(entry, steps) ?? null) !== null
  return isThere ? (textAt(entry, steps) ?? null) : undefined
}

function remainingAt(entry: unknown, { from, less }: OrdersRead["remaining"]): string | undefined {
  const all = textAt(entry, from)
  return less === undefined ? all : difference(all, textAt(entry, less))
}

function signedAt(entry: unknown, { quantity, sign }: PositionsRead): string | undefined {
  const text = textAt(entry, quantity)
  if (text === undefined || sign === undefined || isZero(text)) return text
  const word = wordAt(entry, sign.at)
  const isSize = !text.startsWith("-") && [sign.long, sign.short].includes(word ?? "")
  if (!isSize) return undefined
  return word === sign.short ? `-${text}` : text
}

function isZero(text: string): boolean {
  return /^-?[0.]+$/.test(text)
}

/** The exact difference of two decimals; `undefined` where one is none, or it is below zero. */
function difference(from = "", less = ""): string | undefined {
  if (!decimal.test(from) || !decimal.test(less)) return undefined
  const places = Math.max(placesOf(from), placesOf(less))
  const left = unitsOf(from, places) - unitsOf(less, places)
  if (left < 0n) return undefined
  const digits = `${left}`.padStart(places + 1, "0")
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`
}

function placesOf(text: string): number {
  return text.split(".")[1]?.length ?? 0
}

/** A decimal in units of its last of so many places. */
function unitsOf(text: string, places: number): bigint {
  return BigInt(text.replace(".", "") + "0".repeat(places - placesOf(text)))
}
