import { z } from "zod"

import type { Hours } from "../terms/hours.ts"
import { days, localClock, type LocalClock } from "../terms/local-clock.ts"
import { described, objectError, required, tell } from "./described.ts"
import { listOfWords, textAs } from "./policy-scalars.ts"

/** A time zone by its IANA name, with a clock of its own. */
export const timeZone = textAs(
  (zone): { readonly zone: string; readonly clock: LocalClock } | undefined => {
    const clock = localClock(zone)
    return clock && { zone, clock }
  },
  (zone) => `${JSON.stringify(zone)} isn't a time zone; write one such as Europe/Berlin or UTC`,
)

const lastMinute = 24 * 60

/** The hours of a week in which an entry matches. */
export const hours = z
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
