import { z } from "zod"

import { compareDecimals } from "../../../venue/decimal.ts"
import { withoutAddressCase, type FieldCondition } from "../terms/body-field.ts"
import { described, objectError, required, tell } from "./described.ts"
import { amount, fieldPointer, listOf, pattern, yesOrNo } from "./policy-scalars.ts"

const text = z
  .string({ error: "must be a text" })
  .meta({ written: { type: ["string", "number", "boolean"] } })

const shape = {
  pointer: required(fieldPointer, "Which field of the body, as a JSON Pointer.", "/amount"),
  equals: described(
    text,
    "The one text that the field may be; whole numbers and booleans are compared as text.",
    "USDC",
  ),
  in: described(listOf(text), "The texts that the field may be.", ["USDC", "USDT"]),
  matches: described(
    pattern,
    "A regular expression that the whole text must match.",
    "desk-[0-9]+",
  ),
  min: described(amount, "The least that the field may be, as an exact decimal.", "1"),
  max: described(amount, "The most that the field may be, as an exact decimal.", "10"),
  present: described(yesOrNo, "Whether the field must be there or must not; stands alone.", true),
}

/** One condition of `where`. */
export const fieldCondition = z
  .strictObject(shape, {
    error: objectError("a condition: a pointer, and equals, in, matches, min, max or present"),
  })
  .transform((written, context): FieldCondition => {
    for (const problem of problemsOf(written)) tell(context, problem)
    const { equals, pointer, matches, min, max, present } = written
    const texts = equals === undefined ? written.in : [equals]
    return { pointer, texts: texts?.map(withoutAddressCase), matches, min, max, present }
  })

type Written = z.infer<z.ZodObject<typeof shape>>

function problemsOf(written: Written): readonly string[] {
  const asked = Object.keys(written).filter((key) => key !== "pointer")
  return mistakes.filter(({ isIn }) => isIn(written, asked.length)).map(({ message }) => message)
}

const mistakes: readonly {
  readonly message: string
  readonly isIn: (written: Written, askedCount: number) => boolean
}[] = [
  {
    message: "must say equals, in, matches, min, max or present",
    isIn: (_, askedCount) => askedCount === 0,
  },
  {
    message: "present stands alone; write the rest as another condition on the same pointer",
    isIn: ({ present }, askedCount) => present !== undefined && askedCount > 1,
  },
  {
    message: "must have equals or in, not both",
    isIn: ({ equals, in: list }) => equals !== undefined && list !== undefined,
  },
  {
    message: "no value matches: min is over max",
    isIn: ({ min, max }) => min !== undefined && max !== undefined && compareDecimals(min, max) > 0,
  },
]
