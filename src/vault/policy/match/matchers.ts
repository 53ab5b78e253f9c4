import { formatDecimal } from "../../../venue/decimal.ts"
import type { SymbolTable } from "../../../venue/profile.ts"
import { fieldAt, fieldText, meetsCondition, type FieldCondition } from "../terms/body-field.ts"
import type { Mismatch, DenialReason, JudgedRequest } from "../terms/decision.ts"
import { hoursText, isWithinHours, minuteText } from "../terms/hours.ts"
import {
  agrees,
  type JudgedOrder,
  type Polarity,
  type Reading,
  shortText,
  symbolText,
  type Subject,
} from "../terms/judged-order.ts"
import type { Pattern } from "../terms/pattern.ts"
import type { OrderMatchers, RequestMatchers } from "../terms/policy.ts"

/** One matcher: the key that asks it, whether an order fits it, and what to say when it doesn't. */
export type OrderMatcher = {
  readonly key: keyof OrderMatchers
  readonly fits: (matchers: OrderMatchers, order: JudgedOrder, polarity: Polarity) => boolean
  readonly mismatch: (matchers: OrderMatchers, order: JudgedOrder, symbols: SymbolTable) => Mismatch
}

/** Every order matcher, in the order in which a refusal names them. */
export const orderMatchers: readonly OrderMatcher[] = [
  listMatcher("symbols", "symbol_not_allowed"),
  listMatcher("sides", "side_not_allowed"),
  listMatcher("orderTypes", "order_type_not_allowed"),
  listMatcher("timeInForce", "time_in_force_not_allowed"),
  {
    key: "requireFlags",
    fits: ({ requireFlags = [] }, { flags }) => requireFlags.every((flag) => flags.includes(flag)),
    mismatch: ({ requireFlags = [] }, order) => ({
      reason: "flag_required",
      asked: () => `${partText(order)}flags ${listText(order.flags)}`,
      allowed: () => `with ${requireFlags.join(", ")}`,
    }),
  },
  {
    key: "forbidFlags",
    fits: ({ forbidFlags = [] }, { flags }) => !forbidFlags.some((flag) => flags.includes(flag)),
    mismatch: ({ forbidFlags = [] }, order) => ({
      reason: "flag_forbidden",
      asked: () => `${partText(order)}flags ${listText(order.flags)}`,
      allowed: () => `without ${forbidFlags.join(", ")}`,
    }),
  },
  listMatcher("positionSides", "position_side_not_allowed"),
  listMatcher("marginModes", "margin_mode_not_allowed"),
  listMatcher("stpModes", "stp_mode_not_allowed"),
  listMatcher("algoOrderTypes", "algo_order_type_not_allowed"),
  {
    key: "clientOrderId",
    fits: ({ clientOrderId }, order, polarity) =>
      clientOrderId === undefined || agreesWith(clientOrderId, order.clientOrderId, polarity),
    mismatch: ({ clientOrderId }, order) => ({
      reason: "client_order_id_not_allowed",
      asked: () => readingText(order.clientOrderId?.map(shortText)),
      allowed: clientOrderId?.source ?? null,
    }),
  },
]

/** Whether an entry asks anything of orders. */
export function usesOrderMatchers(matchers: OrderMatchers): boolean {
  return orderMatchers.some(({ key }) => matchers[key] !== undefined)
}

/** Whether an order or leg fits all that an entry asks of orders. */
export function fitsOrder(
  matchers: OrderMatchers,
  order: JudgedOrder,
  polarity: Polarity,
): boolean {
  return orderMatchers.every((matcher) => matcher.fits(matchers, order, polarity))
}

/** What comes before a part's text, so that a refusal tells the entry from its legs. */
export function partText({ part }: JudgedOrder): string {
  return partTexts[part]
}

/** What an entry lists under the same name as what an order can be. */
function listMatcher(
  key: Exclude<keyof OrderMatchers, "requireFlags" | "forbidFlags" | "clientOrderId">,
  reason: DenialReason,
): OrderMatcher {
  type Value = string | number
  const listOf = (matchers: OrderMatchers): readonly Value[] | undefined => matchers[key]
  const readingOf = (order: JudgedOrder): Reading<Value> => order[key]
  return {
    key,
    fits: (matchers, order, polarity) => {
      const list = listOf(matchers)
      return (
        list === undefined || agrees(readingOf(order), polarity, (value) => list.includes(value))
      )
    },
    mismatch: (matchers, order, symbols) => {
      const textOf = (value: Value) => valueText(value, symbols)
      return {
        reason,
        asked: () => `${partText(order)}${readingText(readingOf(order)?.map(textOf))}`,
        allowed: () => listText((listOf(matchers) ?? []).map(textOf)),
      }
    },
  }
}

/** The only numbers are symbols. */
function valueText(value: string | number, symbols: SymbolTable): string {
  return typeof value === "number" ? symbolText(value, symbols) : value
}

const partTexts = {
  entry: "",
  take_profit: "take-profit leg: ",
  stop_loss: "stop-loss leg: ",
} as const

function readingText(reading: Reading<string>): string {
  return reading === undefined ? "unreadable" : listText(reading)
}

function listText(values: readonly string[]): string {
  return values.length === 0 ? "none" : values.join(", ")
}

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
      label === undefined || agreesWith(label, labelOf(request), polarity),
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

/** A text that is too long to be held against a pattern can't be read. */
function agreesWith(pattern: Pattern, reading: Reading<string>, polarity: Polarity): boolean {
  const fits = reading?.map(pattern.matches)
  return agrees(
    fits?.includes(undefined) === true ? undefined : fits,
    polarity,
    (fit) => fit === true,
  )
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
