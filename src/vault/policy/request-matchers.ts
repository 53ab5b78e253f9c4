import { formatDecimal } from "../../venue/decimal.ts"
import { fieldAt, fieldText, meetsCondition, type FieldCondition } from "./body-field.ts"
import type { JudgedRequest, Mismatch } from "./decision.ts"
import { hoursText, isWithinHours, minuteText } from "./hours.ts"
import { agrees, type Polarity, type Reading } from "./judged-order.ts"
import { shortText } from "./order-text.ts"
import type { RequestMatchers } from "./policy.ts"
import type { Subject } from "./subject.ts"

/** One matcher that speaks of a request as a whole: whether a request fits it, and what to say when it doesn't. */
export type RequestMatcher = {
  readonly fits: (matchers: RequestMatchers, subject: Subject, polarity: Polarity) => boolean
  readonly mismatch: (matchers: RequestMatchers, subject: Subject) => Mismatch
}

/** Every request matcher, in the order in which a refusal names them. */
export const requestMatchers: readonly RequestMatcher[] = [
  {
    fits: ({ targetAddresses }, { request }) =>
      targetAddresses?.includes(accountOf(request)) ?? true,
    mismatch: ({ targetAddresses = [] }, { request }) => ({
      reason: "target_address_not_allowed",
      asked: accountOf(request),
      allowed: () => targetAddresses.join(", "),
    }),
  },
  {
    fits: ({ label }, { request }, polarity) =>
      label === undefined || agrees(labelOf(request), polarity, label.matches),
    mismatch: ({ label }, { request }) => ({
      reason: "label_not_allowed",
      asked: labelOf(request)?.map(shortText).join(", ") ?? "unreadable",
      allowed: label?.source ?? null,
    }),
  },
  {
    fits: ({ hours }, { circumstances }, polarity) =>
      hours === undefined || (isWithinHours(hours, circumstances.nowMs) ?? polarity === "deny"),
    mismatch: ({ hours }, { circumstances }) => {
      const time = hours?.clock(circumstances.nowMs)
      return {
        reason: "outside_hours",
        asked: time === undefined ? "unreadable" : () => `${time.day} ${minuteText(time.minute)}`,
        allowed: hours === undefined ? null : () => hoursText(hours),
      }
    },
  },
  {
    fits: ({ where = [] }, { request }, polarity) =>
      where.every((condition) => meetsCondition(condition, request.body) ?? polarity === "deny"),
    mismatch: ({ where = [] }, { request }) => {
      const odd = where.find((condition) => meetsCondition(condition, request.body) !== true)
      return {
        reason: "body_field_not_allowed",
        asked: odd === undefined ? null : () => fieldWords(odd, request),
        allowed: odd === undefined ? null : () => conditionText(odd),
      }
    },
  },
]

/** Whether a request fits all that an entry asks of it besides its orders. */
export function fitsRequest(
  matchers: RequestMatchers,
  subject: Subject,
  polarity: Polarity,
): boolean {
  return requestMatchers.every((matcher) => matcher.fits(matchers, subject, polarity))
}

/** The account that a request operates: its target, or else its signer. */
export function accountOf({ target, key }: JudgedRequest): JudgedRequest["key"]["address"] {
  return target ?? key.address
}

/** Only approveAgent's label is documented; another operation's is read by `where`. */
function labelOf({ payload }: JudgedRequest): Reading<string> {
  return payload.kind === "approve_agent" ? [payload.approval.label] : undefined
}

function fieldWords({ pointer }: FieldCondition, { body }: JudgedRequest): string {
  const value = fieldAt(body, pointer)
  const text = fieldText(value)
  if (text !== undefined) return `${pointer.text} ${shortText(text)}`
  return `${pointer.text} ${value === undefined ? "absent" : "unreadable"}`
}

function conditionText({ texts, matches, min, max, present }: FieldCondition): string {
  if (present !== undefined) return present ? "present" : "absent"
  return [
    ...(texts === undefined ? [] : [texts.map((text) => JSON.stringify(text)).join(", ")]),
    ...(matches === undefined ? [] : [`matching ${matches.source}`]),
    ...(min === undefined ? [] : [`at least ${formatDecimal(min)}`]),
    ...(max === undefined ? [] : [`at most ${formatDecimal(max)}`]),
  ].join(", ")
}
