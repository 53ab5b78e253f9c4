import * as z from "zod"

import {
  described,
  objectError,
  required,
  tell,
  listOfWords,
  textAs,
  timeZone,
} from "../values/scalars.ts"
import { type Subject, sorted, type Matcher } from "./judged-request.ts"
import { days, type Day, type LocalClock, type LocalTime } from "../values/local-clock.ts"

/**
 * Hours of a week on the clocks of a zone, half-open: `[from, to)`. If `toMinute` is before `fromMinute`, they
 * go on after midnight, and `days` are the days on which they begin.
 */
export type Hours = {
  readonly zone: string
  readonly clock: LocalClock
  readonly days: readonly Day[] | undefined
  /** Minutes from midnight, 0 to 1439. */
  readonly fromMinute: number
  /** Minutes from midnight, 0 to 1440. */
  readonly toMinute: number
}

const lastMinute = 24 * 60

const hoursSchema = z
  .strictObject(
    {
      zone: required(timeZone, "Whose clocks are read, by its IANA name.", "Europe/Berlin"),
      days: described(
        listOfWords(days),
        "The days on which the hours begin; left out, every day.",
        ["mon", "tue"],
      ),
      from: described(
        timeOfDay(lastMinute - 1),
        "When they begin, this minute included; left out, at 00:00.",
        "08:00",
      ),
      to: described(
        timeOfDay(lastMinute),
        "When they end, this minute excluded; earlier than from, they end on the next day.",
        "18:00",
      ),
    },
    { error: objectError("hours: a zone, and days, from or to") },
  )
  .transform(({ zone, days: listed, from, to }, context): Hours => {
    if (listed === undefined && from === undefined && to === undefined) {
      tell(context, "must say days, from or to")
    }
    const fromMinute = from ?? 0
    const toMinute = to ?? lastMinute
    if (fromMinute === toMinute)
      tell(context, "from and to are the same; leave both out for the whole day")
    return { ...zone, days: listed, fromMinute, toMinute }
  })

export const hours: Matcher<Hours, Subject, "outside_hours"> = {
  key: "hours",
  schema: () => hoursSchema,
  written: "`zone`, and `days`, `from` or `to`",
  meaning: "The hours in which the entry matches.",
  example: {
    zone: "Europe/Berlin",
    days: ["mon", "tue", "wed", "thu", "fri"],
    from: "08:00",
    to: "18:00",
  },
  unreadable: "a time that no calendar has: unreadable",
  reason: "outside_hours",
  fits: (listed, { circumstances }, polarity) =>
    isWithinHours(listed, circumstances.nowMs) ?? polarity === "deny",
  asked: ({ circumstances }, _, { clock }) => timeText(clock(circumstances.nowMs)),
  allowed: hoursText,
  form: ({ zone, days: listed, fromMinute, toMinute }) => [
    zone,
    sorted(listed),
    fromMinute,
    toMinute,
  ],
}

/** Whether the hours hold at a time; `undefined` when no clock shows it. */
export function isWithinHours(hours: Hours, nowMs: number): boolean | undefined {
  const time = hours.clock(nowMs)
  return time && holdsAt(hours, time)
}

/** Hours for people, `mon, tue 08:00-18:00 Europe/Berlin`. */
export function hoursText({ zone, days, fromMinute, toMinute }: Hours): string {
  const which = days === undefined ? "" : `${days.join(", ")} `
  return `${which}${minuteText(fromMinute)}-${minuteText(toMinute)} ${zone}`
}

function timeText(time: LocalTime | undefined): string {
  return time === undefined ? "unreadable" : `${time.day} ${minuteText(time.minute)}`
}

/** A time of day for people, `08:05`. */
function minuteText(minute: number): string {
  const two = (value: number): string => value.toString().padStart(2, "0")
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`
}

function holdsAt({ days, fromMinute, toMinute }: Hours, { day, minute }: LocalTime): boolean {
  const isListed = (began: Day): boolean => days?.includes(began) ?? true
  if (fromMinute < toMinute) return isListed(day) && minute >= fromMinute && minute < toMinute
  if (minute >= fromMinute) return isListed(day)
  return minute < toMinute && isListed(dayBefore(day))
}

function dayBefore(day: Day): Day {
  return days[(days.indexOf(day) + days.length - 1) % days.length] ?? day
}

function timeOfDay(mostMinutes: number) {
  return textAs(
    (text) => {
      const [, hour, minute] = /^(\d{2}):([0-5]\d)$/.exec(text) ?? []
      const minutes = Number(hour) * 60 + Number(minute)
      return minutes <= mostMinutes ? minutes : undefined
    },
    () => `must be a time of day from 00:00 to ${mostMinutes === lastMinute ? "24:00" : "23:59"}`,
  )
}
