import type { BotParams } from "../../link/calls/methods.ts"
import { err, ok, type Result } from "../../std/result.ts"
import { invalidHeader, type Problem } from "../http/problem.ts"

export type Search = Pick<BotParams["records"], "by" | "value">

/** The bound that link/calls/methods.ts sets. */
const maxValueLength = 256

const notDecodable = invalidHeader(
  "request-target",
  "The query isn't percent-encoded UTF-8; encode each byte of a value that isn't a letter or digit.",
)

function isDecodable(query: string): boolean {
  try {
    decodeURIComponent(query)
    return true
  } catch {
    return false
  }
}

/** Parses the query string of a look-up of records: `?idempotency_key=…` or `?client_order_id=…`, one of them. */
export function parseSearch(query: string): Result<Search, Problem> {
  // What can't be decoded would be looked for as another text, and not be found.
  return isDecodable(query) ? parseDecodable(query) : err(notDecodable)
}

function parseDecodable(query: string): Result<Search, Problem> {
  const [only, ...more] = [...new URLSearchParams(query)]
  const [by, value = ""] = only ?? []
  const isKnown = by === "idempotency_key" || by === "client_order_id"
  if (!isKnown || more.length > 0 || value === "" || value.length > maxValueLength) {
    return err(
      invalidHeader(
        "request-target",
        `Ask for one idempotency_key or one client_order_id, of 1 to ${maxValueLength} characters.`,
      ),
    )
  }
  return ok({ by, value })
}
