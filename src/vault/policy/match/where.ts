import * as z from "zod"

import { compareDecimals, formatDecimal, type Decimal } from "../../../venue/decimal.ts"
import type { JsonObject, JsonValue } from "../../../venue/json.ts"
import {
  fieldAmount,
  fieldAt,
  fieldText,
  withoutAddressCase,
  type FieldPointer,
  described,
  objectError,
  required,
  tell,
  amount,
  fieldPointer,
  listOf,
  pattern,
  yesOrNo,
  type Pattern,
} from "../values/scalars.ts"
import { shortText, type Subject, sorted, type Matcher } from "./judged-request.ts"

/** What `where` asks of one field. Every condition must hold. */
export type FieldCondition = {
  readonly pointer: FieldPointer
  /** The texts that it may be; `equals` is a list of one. */
  readonly texts: readonly string[] | undefined
  readonly matches: Pattern | undefined
  readonly min: Decimal | undefined
  readonly max: Decimal | undefined
  readonly present: boolean | undefined
}

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

const fieldCondition = z
  .strictObject(shape, {
    error: objectError("a condition: a pointer, and equals, in, matches, min, max or present"),
  })
  .transform((written, context): FieldCondition => {
    for (const problem of problemsOf(written)) tell(context, problem)
    const { equals, pointer, matches, min, max, present } = written
    const texts = equals === undefined ? written.in : [equals]
    return { pointer, texts: texts?.map(withoutAddressCase), matches, min, max, present }
  })

export const where: Matcher<readonly FieldCondition[], Subject, "body_field_not_allowed"> = {
  key: "where",
  schema: () => listOf(fieldCondition),
  written: "list of conditions",
  meaning: "Conditions on fields of the body, all of which must be met.",
  example: [{ pointer: "/amount", max: "10" }],
  unreadable: "a field that is absent or of another kind: unreadable",
  reason: "body_field_not_allowed",
  fits: (conditions, { request }, polarity) =>
    conditions.every((condition) => meetsCondition(condition, request.body) ?? polarity === "deny"),
  asked: ({ request: { body } }, _, conditions) => {
    const unmet = conditions.find((condition) => meetsCondition(condition, body) !== true)
    return unmet === undefined ? "" : fieldWords(unmet, body)
  },
  allowed: (conditions) => conditions.map(conditionText).join("; "),
  form: (conditions) =>
    sorted(conditions.map((condition) => JSON.stringify(conditionForm(condition)))),
  narrowedBy: "more",
}

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

/** Whether the body's field meets the condition; `undefined` when it is absent or has the wrong type. */
export function meetsCondition(condition: FieldCondition, body: JsonObject): boolean | undefined {
  const value = fieldAt(body, condition.pointer)
  if (condition.present !== undefined) return (value !== undefined) === condition.present
  const answers = [meetsTexts(condition, value), meetsBounds(condition, value)]
  if (answers.includes(undefined)) return undefined
  return !answers.includes(false)
}

function meetsTexts(
  { texts, matches }: FieldCondition,
  value: JsonValue | undefined,
): boolean | undefined {
  if (texts === undefined && matches === undefined) return true
  const text = fieldText(value)
  if (text === undefined) return undefined
  if (texts?.includes(text) === false) return false
  return matches === undefined || matches.matches(text)
}

function meetsBounds(
  { min, max }: FieldCondition,
  value: JsonValue | undefined,
): boolean | undefined {
  if (min === undefined && max === undefined) return true
  const amount = fieldAmount(value)
  if (amount === undefined) return undefined
  const isEnough = min === undefined || compareDecimals(amount, min) >= 0
  return isEnough && (max === undefined || compareDecimals(amount, max) <= 0)
}

function fieldWords({ pointer }: FieldCondition, body: JsonObject): string {
  const value = fieldAt(body, pointer)
  const text = fieldText(value)
  if (text !== undefined) return `${pointer.text} ${shortText(text)}`
  return `${pointer.text} ${value === undefined ? "absent" : "unreadable"}`
}

function conditionText({ pointer, texts, matches, min, max, present }: FieldCondition): string {
  const asked = [
    ...(texts === undefined ? [] : [texts.map((text) => JSON.stringify(text)).join(", ")]),
    ...(matches === undefined ? [] : [`matching ${matches.source}`]),
    ...(min === undefined ? [] : [`at least ${formatDecimal(min)}`]),
    ...(max === undefined ? [] : [`at most ${formatDecimal(max)}`]),
    ...(present === undefined ? [] : [present ? "present" : "absent"]),
  ]
  return `${pointer.text} ${asked.join(", ")}`
}

function conditionForm({ pointer, texts, matches, min, max, present }: FieldCondition) {
  return [
    pointer.text,
    sorted(texts),
    matches?.source ?? null,
    min === undefined ? null : formatDecimal(min),
    max === undefined ? null : formatDecimal(max),
    present ?? null,
  ]
}
