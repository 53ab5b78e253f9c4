import { ok, type Result } from "../../std/result.ts"
import { reject, type Rejection } from "./error-codes.ts"
import { address } from "./fields.ts"

/** The interface's paginated `data`. */
export type Page<Item> = {
  readonly list: readonly Item[]
  readonly next_cursor: string | null
  readonly has_more: boolean
}

/** Where a page starts and how long it may be. A cursor is the number of the last item before it. */
export type Paging = { readonly limit: number; readonly afterNumber: number }

/** From `startMs`, included, to `endMs`, excluded. */
type Period = { readonly startMs: number; readonly endMs: number }

// Page sizes are invented; the interface leaves them to each endpoint.
const defaultLimit = 50
const maxLimit = 100
const numberPattern = /^(0|[1-9]\d{0,14})$/

/** One page of `items`, which come in the order of their numbers. */
export function pageOf<Item>(
  items: Iterable<Item>,
  { limit, afterNumber }: Paging,
  numberOf: (item: Item) => number,
): Page<Item> {
  const list: Item[] = []
  for (const item of items) {
    if (numberOf(item) <= afterNumber) continue
    const last = list.at(-1)
    if (list.length === limit && last !== undefined) {
      return { list, next_cursor: String(numberOf(last)), has_more: true }
    }
    list.push(item)
  }
  return { list, next_cursor: null, has_more: false }
}

/** Reads `limit` and `cursor`. */
export function readPaging(query: URLSearchParams): Result<Paging, Rejection> {
  const limit = readNumber(query.get("limit"), defaultLimit)
  if (limit === undefined || limit < 1 || limit > maxLimit) {
    return reject("invalid_query", `limit must be an integer from 1 to ${maxLimit}.`)
  }
  const afterNumber = readNumber(query.get("cursor"), 0)
  return afterNumber === undefined
    ? reject("invalid_query", "cursor must be the next_cursor of the page before.")
    : ok({ limit, afterNumber })
}

/** Reads `start_time` and `end_time`, milliseconds since 1970; what is left out bounds nothing. */
export function readPeriod(query: URLSearchParams): Result<Period, Rejection> {
  const startMs = readNumber(query.get("start_time"), 0)
  const endMs = readNumber(query.get("end_time"), Number.MAX_SAFE_INTEGER)
  return startMs === undefined || endMs === undefined
    ? reject("invalid_query", "start_time and end_time must be milliseconds since 1970.")
    : ok({ startMs, endMs })
}

/** Whether a record's time lies in the period: left-closed, right-open. */
export function isWithin({ startMs, endMs }: Period, recordTimeMs: number): boolean {
  return recordTimeMs >= startMs && recordTimeMs < endMs
}

/** Reads `account_address`, in lower case; `undefined` when it is left out. */
export function readAccount(query: URLSearchParams): Result<string | undefined, Rejection> {
  const account = query.get("account_address")?.toLowerCase()
  return account === undefined || address(account) === undefined
    ? ok(account)
    : reject("invalid_query", "account_address must be 0x and 40 hex digits.")
}

/** Reads an integer of the query; `absent` when it is left out, `undefined` when it is something else. */
export function readNumber<Absent>(
  text: string | null,
  absent: Absent,
): number | Absent | undefined {
  if (text === null) return absent
  return numberPattern.test(text) ? Number(text) : undefined
}
