import { ok, type Result } from "../std/result.ts"
import { listOrders, type Page } from "./book.ts"
import { reject, type Rejection } from "./error-codes.ts"
import { address } from "./fields.ts"
import type { Venue } from "./venue.ts"

// Page sizes are invented; the interface leaves them to each endpoint.
const defaultLimit = 50
const maxLimit = 100
const numberPattern = /^(0|[1-9]\d{0,14})$/

/**
 * `GET /v1/trade/open-orders?limit=&cursor=&account_address=`: one page, oldest first. The path and
 * the filter are invented, and so is that anyone may read it.
 */
export function readOpenOrders(venue: Venue, query: URLSearchParams): Result<Page, Rejection> {
  const limit = readNumber(query.get("limit"), defaultLimit)
  if (limit === undefined || limit < 1 || limit > maxLimit) {
    return reject("invalid_query", `limit must be an integer from 1 to ${maxLimit}.`)
  }
  const afterNumber = readNumber(query.get("cursor"), 0)
  if (afterNumber === undefined) {
    return reject("invalid_query", "cursor must be the next_cursor of the page before.")
  }
  const account = query.get("account_address")?.toLowerCase()
  if (account !== undefined && address(account) !== undefined) {
    return reject("invalid_query", "account_address must be 0x and 40 hex digits.")
  }
  return ok(listOrders(venue.book, { limit, afterNumber, account }))
}

function readNumber(text: string | null, absent: number): number | undefined {
  if (text === null) return absent
  return numberPattern.test(text) ? Number(text) : undefined
}
