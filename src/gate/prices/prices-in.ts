import type { PollRound } from "../../link/calls/gate-methods.ts"
import { successCode, type VenueAnswer } from "../http/reply.ts"
import { parseRawJson } from "../reads/raw-json.ts"

/** No decimal that the vault takes is longer. */
const maxTextLength = 64

/**
 * The prices in an answer of the venue, as it wrote them, by the names of venue.yaml. Entries of other symbols are left
 * out, and so are those without a text or a number there. None where the answer isn't a success.
 */
export function pricesIn(
  { status, body }: Pick<VenueAnswer, "status" | "body">,
  { list, symbol, value, symbols }: PollRound,
): { symbol: string; value: string }[] {
  const answer = status >= 200 && status < 300 ? parseRawJson(body) : undefined
  if (at(answer, ["code"]) !== successCode) return []
  const entries = list === undefined ? [answer] : at(answer, list)
  if (!Array.isArray(entries)) return []
  const names = new Map(
    symbols.flatMap(
      ({ id, name }) =>
        [
          [name, name],
          [`${id}`, name],
        ] as const,
    ),
  )
  return entries.flatMap((entry: unknown) => {
    const name = names.get(textAt(entry, symbol) ?? "")
    const text = textAt(entry, value)
    return name === undefined || text === undefined ? [] : [{ symbol: name, value: text }]
  })
}

/** What the steps of a JSON Pointer lead to. */
function at(from: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>((inner, step) => {
    const isInside = typeof inner === "object" && inner !== null && Object.hasOwn(inner, step)
    return isInside ? (inner as Readonly<Record<string, unknown>>)[step] : undefined
  }, from)
}

/** The text of a string, or of a number as it was written. */
function textAt(entry: unknown, steps: readonly string[]): string | undefined {
  const found = at(entry, steps)
  const text = isRawJSON(found) ? JSON.stringify(found) : found
  return typeof text === "string" && text.length <= maxTextLength ? text : undefined
}

// As of 6.0 TypeScript's own types don't have it.
const { isRawJSON } = JSON as typeof JSON & { readonly isRawJSON: (value: unknown) => boolean }
