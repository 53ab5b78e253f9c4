import * as z from "zod"

import { successCode, type VenueAnswer } from "../http/reply.ts"
import { parseRawJson } from "./raw-json.ts"

/** A page of a list of the venue's. */
export type Page = {
  /** Each item as one line of JSON, its numbers as they came. */
  readonly lines: string
  /** The cursor of the page after it. */
  readonly next: string | undefined
}

// More is allowed than the interface shows, but nothing less: what isn't a page can't be told from an end. Where
// there is no more, any cursor is one that nobody follows.
const shape = z.object({
  code: z.literal(successCode),
  data: z.object({
    list: z.array(z.unknown()),
    next_cursor: z
      .string()
      .max(1_024)
      .refine((cursor) => cursor.isWellFormed())
      .nullable(),
    has_more: z.boolean(),
  }),
})

/** Parses an answer in the interface's paginated shape; `undefined` when it isn't in that, or contradicts itself. */
export function parsePage({ status, body }: VenueAnswer): Page | undefined {
  const isOk = status >= 200 && status < 300
  const read = shape.safeParse(isOk ? parseRawJson(body) : undefined)
  if (!read.success) return undefined
  const { list, next_cursor: cursor, has_more: hasMore } = read.data.data
  const next = hasMore ? (cursor ?? "") : undefined
  if (next === "") return undefined
  const lines = list.map((item) => `${JSON.stringify(item)}\n`).join("")
  return { lines, next }
}
