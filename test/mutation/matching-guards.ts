import { guardsOf, type Guard } from "./guard.ts"

const policy = "vault/policy"
const unit = `unit/${policy}`

/** The matchers that compare with a list, each in a line of the table. */
const listed = [
  ...["symbols", "sides", "orderTypes", "timeInForce"],
  ...["positionSides", "marginModes", "stpModes", "algoOrderTypes"],
]

/** What entries match. */
export const matchingGuards: readonly Guard[] = [
  ...guardsOf(
    "vault/policy/values/scalars.ts",
    ["unit/vault/policy/values/scalars", "threats/text-too-long-for-a-deny"],
    [
      {
        find: "if (compiled.programSize() > maxProgramSize)",
        replace: "if (compiled.programSize() < 0)",
        why: "an expression may repeat without end",
      },
      {
        find: "text.length > maxMatchedLength ? undefined",
        replace: "text.length > maxMatchedLength ? false",
        why: "a text that is too long passes a deny by an expression",
      },
    ],
  ),
  ...guardsOf(
    "vault/policy/match/judged-request.ts",
    ["threats/text-too-long-for-a-deny"],
    [
      {
        find: "fits?.includes(undefined) === true",
        replace: "fits?.includes(undefined) === undefined",
        why: "a label that is too long passes a deny",
      },
    ],
  ),
  ...guardsOf(
    "vault/policy/match/judged-request.ts",
    ["unit/vault/policy/match/matchers", "unit/vault/policy/match/request-matchers"],
    [
      {
        find: 'if (reading === undefined) return polarity === "deny"',
        replace: "if (reading === undefined) return false",
        why: "what can't be read passes a deny",
      },
      {
        find: 'return polarity === "deny" ? reading.some(fits)',
        replace: 'return polarity === "deny" ? reading.every(fits)',
        why: "a deny needs all that a field may stand for",
      },
      {
        find: "reading.length > 0 && reading.every(fits)",
        replace: "reading.every(fits)",
        why: "a rule admits what is certainly absent",
      },
      {
        find: "reading.length > 0 && reading.every(fits)",
        replace: "reading.length > 0 && reading.some(fits)",
        why: "a rule admits what may also be something else",
      },
    ],
  ),
  ...guardsOf(
    "vault/policy/match/matchers.ts",
    ["unit/vault/policy/match/matchers"],
    [
      ...listed.map((name) => ({
        find: `  ${name},\n`,
        replace: "",
        why: `${name} aren't asked`,
      })),
    ],
  ),
  ...guardsOf(
    "vault/policy/match/matchers.ts",
    ["unit/vault/policy/match/matchers"],
    [
      {
        find: "required.every((flag)",
        replace: "required.some((flag)",
        why: "one required flag is enough",
      },
      {
        find: "!forbidden.some((flag)",
        replace: "!forbidden.every((flag)",
        why: "one forbidden flag passes",
      },
    ],
  ),
  ...guardsOf(
    "vault/policy/match/matchers.ts",
    ["unit/vault/policy/match/request-matchers"],
    [
      {
        find: "return target ?? key.address",
        replace: "return key.address",
        why: "a target isn't the account",
      },
    ],
  ),
  ...guardsOf(
    "vault/policy/match/where.ts",
    ["unit/vault/policy/match/request-matchers"],
    [
      {
        find: 'meetsCondition(condition, request.body) ?? polarity === "deny"',
        replace: 'meetsCondition(condition, request.body) ?? polarity === "rule"',
        why: "a field that can't be read meets a rule",
      },
      {
        find: "conditions.every((condition)",
        replace: "conditions.some((condition)",
        why: "one condition of where is enough",
      },
      {
        find: "if (answers.includes(undefined)) return undefined",
        replace: "if (answers.includes(undefined)) return true",
        why: "an unreadable field meets a condition",
      },
      {
        find: "compareDecimals(amount, min) >= 0",
        replace: "compareDecimals(amount, min) > 0",
        why: "min excludes itself",
      },
      {
        find: "compareDecimals(amount, max) <= 0",
        replace: "compareDecimals(amount, max) < 0",
        why: "max excludes itself",
      },
      {
        find: "if (texts?.includes(text) === false) return false",
        replace: "",
        why: "equals and in are passed over",
      },
    ],
  ),
  ...guardsOf(
    "vault/policy/match/hours.ts",
    ["unit/vault/policy/match/hours", "unit/vault/policy/match/request-matchers"],
    [
      {
        find: 'isWithinHours(listed, circumstances.nowMs) ?? polarity === "deny"',
        replace: "isWithinHours(listed, circumstances.nowMs) ?? false",
        why: "a time that no clock shows passes a deny",
      },
      {
        find: "isListed(day) && minute >= fromMinute && minute < toMinute",
        replace: "isListed(day) && minute > fromMinute && minute < toMinute",
        why: "the first minute isn't within",
      },
      {
        find: "isListed(day) && minute >= fromMinute && minute < toMinute",
        replace: "isListed(day) && minute >= fromMinute && minute <= toMinute",
        why: "the last minute is within",
      },
      {
        find: "minute < toMinute && isListed(dayBefore(day))",
        replace: "minute < toMinute && isListed(day)",
        why: "hours over midnight belong to the wrong day",
      },
    ],
  ),
  ...guardsOf(
    "vault/policy/terms.ts",
    [`${unit}/judge`],
    [
      {
        find: "return isClient && isKey",
        replace: "return isClient || isKey",
        why: "one of client and key is enough",
      },
    ],
  ),
  ...guardsOf(
    "vault/policy/try-entry.ts",
    [`${unit}/judge`, "unit/vault/policy/match/matchers"],
    [
      {
        find: "if (!entry.operations.has(request.operation)) return undefined",
        replace: "",
        why: "an entry matches operations that it doesn't cover",
      },
      {
        find: "if (orders === undefined) return { orders: undefined }",
        replace: "if (orders === undefined) return undefined",
        why: "orders that can't be read pass a deny",
      },
      {
        find: "isPartMatched.includes(true)",
        replace: "!isPartMatched.includes(false)",
        why: "a deny needs the order and its legs",
      },
    ],
  ),
]
