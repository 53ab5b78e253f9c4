import * as z from "zod"

import { text, whole } from "./fields.ts"
import { actSchemas, rowSchemas, type Act, type JournalRow } from "./row.ts"

/**
 * Reads a row that another host wrote: each field that anything follows from has the shape that this version writes. A
 * field that it doesn't know may be a later version's; a kind or an act isn't, for something would follow from it there
 * and not here.
 *
 * @throws {RowError} with what is wrong.
 */
export function readRow(text: string): JournalRow {
  const row = parsed(text)
  const read = rowOf.safeParse(row)
  const kind = read.success ? kinds[read.data.kind].safeParse(row) : read
  if (kind.success) return row as JournalRow
  const { path = [], message = "unreadable" } = kind.error.issues[0] ?? {}
  throw new RowError(`${path.map(String).join(".")}: ${message}`)
}

export class RowError extends Error {}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new RowError("no JSON")
  }
}

const act = z
  .looseObject({
    act: z.string().refine((each): each is Act["act"] => Object.hasOwn(actSchemas, each)),
  })
  .superRefine((row, context) => {
    const { error } =
      row.act === "archived"
        ? z.never("no host of several has archives").safeParse(row)
        : actSchemas[row.act].safeParse(row)
    for (const { message, path } of error?.issues ?? []) {
      context.addIssue({ code: "custom", message, path })
    }
  })

const kinds: Readonly<Record<JournalRow["kind"], z.ZodType>> = { ...rowSchemas, act }

const rowOf = z.object({
  kind: z
    .string()
    .refine((each): each is JournalRow["kind"] => Object.hasOwn(kinds, each), "unknown"),
  id: text,
  at_ms: whole,
})
