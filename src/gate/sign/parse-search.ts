import type { BotParams } from "../../link/calls/methods.ts"
import { err, ok, type Result } from "../../std/result.ts"
import { invalidHeader, type Problem } from "../http/problem.ts"

export type Search = Pick<BotParams["records"], "by" | "value">

/** The bound that link/calls/methods.ts sets. */
const maxValueLength = 256

/** Parses the query string of a look-up of records: `?idempotency_key=…` or `?client_order_id=…`, one of them. */
export function parseSearch(query: string): Result<Search, Problem> {
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
