import type { FieldCondition } from "../../../src/vault/policy/match/where.ts"
import type { JudgedRequest } from "../../../src/vault/policy/match/judged-request.ts"
import type { Hours } from "../../../src/vault/policy/match/hours.ts"
import type { JsonObject, JsonValue } from "../../../src/venue/json.ts"
import { decimalText, fieldUnits, unitsOf } from "./plain-amount.ts"
import { clockAt, dayBefore, timeText, type ClockTime } from "./plain-clock.ts"
import { areWanted, isWhole, type List, type Matchers, type Said } from "./plain-matchers.ts"

/** A request and the time, held against the matchers of an entry. */
export type RequestAsk = {
  readonly matchers: Matchers
  readonly request: JudgedRequest
  readonly nowMs: number
  readonly list: List
}

/** What each matcher says of a request that doesn't match, in the order in which a rule asks them. */
export const requestMatchers: readonly ((ask: RequestAsk) => Said | undefined)[] = [
  targetAddresses,
  label,
  hours,
  where,
]

/** The account that a request operates. */
export function plainAccount({ target, key }: JudgedRequest): string {
  return target ?? key.address
}

function targetAddresses({ matchers, request }: RequestAsk): Said | undefined {
  const wanted: readonly string[] | undefined = matchers.targetAddresses
  const account = plainAccount(request)
  if (wanted === undefined || wanted.includes(account)) return undefined
  return { reason: "target_address_not_allowed", asked: account, allowed: wanted.join(", ") }
}

function label({ matchers, request, list }: RequestAsk): Said | undefined {
  const { label: wanted } = matchers
  const { payload } = request
  const labels = payload.kind === "approve_agent" ? [payload.approval.label] : undefined
  if (wanted === undefined || areWanted(labels, list, (text) => isWhole(wanted, text))) {
    return undefined
  }
  const asked = labels === undefined ? "unreadable" : JSON.stringify(labels[0])
  return { reason: "label_not_allowed", asked, allowed: wanted.source }
}

function hours({ matchers, nowMs, list }: RequestAsk): Said | undefined {
  const { hours: wanted } = matchers
  if (wanted === undefined) return undefined
  const time = clockAt(wanted.zone, nowMs)
  if (time === undefined ? list === "other" : isWithin(wanted, time)) return undefined
  return {
    reason: "outside_hours",
    asked: time === undefined ? "unreadable" : `${time.day} ${timeText(time.minute)}`,
    allowed: hoursWords(wanted),
  }
}

/** Hours as people read them. */
export function hoursWords({ days, fromMinute, toMinute, zone }: Hours): string {
  const listedDays = days === undefined ? "" : `${days.join(", ")} `
  return `${listedDays}${timeText(fromMinute)}-${endText(toMinute)} ${zone}`
}

/** Hours begin on a listed day, and those that end earlier than they begin end on the next. */
function isWithin({ days, fromMinute, toMinute }: Hours, { day, minute }: ClockTime): boolean {
  const endMinute = toMinute < fromMinute ? toMinute + minutesOfDay : toMinute
  const began = [
    { on: day, sinceMinute: minute },
    { on: dayBefore(day), sinceMinute: minute + minutesOfDay },
  ]
  return began
    .filter(({ on }) => days?.includes(on) ?? true)
    .some(({ sinceMinute }) => sinceMinute >= fromMinute && sinceMinute < endMinute)
}

const minutesOfDay = 24 * 60

function endText(minute: number): string {
  return minute === minutesOfDay ? "24:00" : timeText(minute)
}

function where({ matchers, request, list }: RequestAsk): Said | undefined {
  const conditions = matchers.where ?? []
  const holds = conditions.map((condition) => doesHold(condition, request.body))
  if (holds.every((answer) => answer ?? list === "other")) return undefined
  const odd = conditions[holds.findIndex((answer) => answer !== true)]
  if (odd === undefined) return undefined
  const allowed = conditions.map(conditionText).join("; ")
  return { reason: "body_field_not_allowed", asked: fieldText(odd, request.body), allowed }
}

/** `undefined` where the field isn't there or isn't of the kind that is compared. */
function doesHold(condition: FieldCondition, body: JsonObject): boolean | undefined {
  const value = valueAt(body, condition.pointer.text)
  if (condition.present !== undefined) return condition.present === (value !== undefined)
  const answers = [isText(condition, value), isAmount(condition, value)]
  return answers.includes(undefined) ? undefined : !answers.includes(false)
}

function isText({ texts, matches }: FieldCondition, value: JsonValue | undefined) {
  if (texts === undefined && matches === undefined) return true
  const text = textOf(value)
  if (text === undefined) return undefined
  const isListed = texts?.some((wanted) => isSameText(wanted, text)) ?? true
  return isListed && (matches === undefined || isWhole(matches, text))
}

function isAmount({ min, max }: FieldCondition, value: JsonValue | undefined) {
  if (min === undefined && max === undefined) return true
  const units = fieldUnits(value)
  if (units === undefined) return undefined
  const isEnough = min === undefined || units >= unitsOf(min)
  return isEnough && (max === undefined || units <= unitsOf(max))
}

/** What a JSON Pointer leads to: an item by its number, a field by its name. */
export function valueAt(body: JsonObject, pointer: string): JsonValue | undefined {
  let value: JsonValue | undefined = body
  for (const escaped of pointer.split("/").slice(1)) {
    if (typeof value !== "object" || value === null) return undefined
    const step = escaped.replaceAll("~1", "/").replaceAll("~0", "~")
    value = Object.entries<JsonValue>(value).find(([name]) => name === step)?.[1]
  }
  return value
}

/** A text as it is compared: whole numbers and booleans too, and addresses without regard to case. */
export function textOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === "object" || value === undefined) return undefined
  return isAddress(String(value)) ? String(value).toLowerCase() : String(value)
}

function isSameText(wanted: string, text: string): boolean {
  return wanted === text || (isAddress(wanted) && wanted.toLowerCase() === text)
}

function isAddress(text: string): boolean {
  return /^0x[0-9a-fA-F]{40}$/.test(text)
}

function fieldText({ pointer }: FieldCondition, body: JsonObject): string {
  const value = valueAt(body, pointer.text)
  if (value === undefined) return `${pointer.text} absent`
  const text = textOf(value)
  return `${pointer.text} ${text === undefined ? "unreadable" : JSON.stringify(text)}`
}

function conditionText({ pointer, texts, matches, min, max, present }: FieldCondition): string {
  const asked = [
    texts?.map((text) => JSON.stringify(text)).join(", "),
    matches && `matching ${matches.source}`,
    min && `at least ${decimalText(min)}`,
    max && `at most ${decimalText(max)}`,
    present === undefined ? undefined : present ? "present" : "absent",
  ].filter((words) => words !== undefined)
  return `${pointer.text} ${asked.join(", ")}`
}
