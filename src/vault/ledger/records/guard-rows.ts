import * as z from "zod"

import type { Immutable } from "../../../std/immutable.ts"
import { formatDecimal } from "../../../venue/decimal.ts"
import type { Mark, Marks } from "../../guards/equity.ts"
import { addressSchema, decimalText, text, whole } from "./fields.ts"
import { readDecimal } from "./prices.ts"

const mark = z.object({ from: whole, of: decimalText, at: decimalText })

/** From what an account's losses are counted, as it is recorded. */
export const marksSchema = z.object({
  ...{ account: addressSchema, read_at: whole, equity: decimalText },
  /** SHA-256 of the lines of venue.yaml by which it was read. */
  mapping: text,
  high: mark,
  /** By time zone. */
  days: z.record(text, mark),
  hours: z.array(mark),
})
export type MarksFields = Immutable<z.infer<typeof marksSchema>>

/** What a guard on losses stands at besides: it has tripped, or a person allowed it more for a while. */
export const guardStateSchema = z.object({
  /** `policy/name`. */
  guard: text,
  account: addressSchema,
  /** What it bounded when this was recorded. */
  bounds: z.enum(["daily_loss", "loss", "drawdown"]),
  since: whole,
  /** When it ends by itself; `null` where only a person ends it. */
  until: whole.nullable(),
  /** What may be lost until then; `null` of one that has tripped: nothing opens. */
  max: decimalText.nullable(),
  /** Of one that has tripped: whether the keys were frozen for it. */
  froze: z.boolean(),
})
export type GuardState = Immutable<z.infer<typeof guardStateSchema>>

/** Its name among all that stand. */
export function guardStateName({ guard, account }: Pick<GuardState, "guard" | "account">): string {
  return `${guard} ${account}`
}

/** Marks as they are recorded. */
export function marksFields(
  account: MarksFields["account"],
  { readAtMs, equity, mapping, high, days, hours }: Marks,
): MarksFields {
  return {
    ...{ account, read_at: readAtMs, equity: formatDecimal(equity), mapping },
    high: markFields(high),
    days: Object.fromEntries([...days].map(([zone, day]) => [zone, markFields(day)])),
    hours: hours.map(markFields),
  }
}

/** Reads marks as they were recorded. @throws {Fault} `ledger_unusable` when they make no sense. */
export function readMarks({ read_at, equity, mapping, high, days, hours }: MarksFields): Marks {
  return {
    ...{ readAtMs: read_at, equity: readDecimal(equity), mapping },
    high: readMark(high),
    days: new Map(Object.entries(days).map(([zone, day]) => [zone, readMark(day)])),
    hours: hours.map(readMark),
  }
}

function markFields({ fromMs, of, at }: Mark) {
  return { from: fromMs, of: formatDecimal(of), at: formatDecimal(at) }
}

function readMark({ from, of, at }: MarksFields["high"]): Mark {
  return { fromMs: from, of: readDecimal(of), at: readDecimal(at) }
}
