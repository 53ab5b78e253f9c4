const days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const
export type Day = (typeof days)[number]

/** What a zone's clocks show: the date as `2026-11-20`, the day of the week, and minutes from midnight. */
export type ClockTime = { readonly date: string; readonly day: Day; readonly minute: number }

const formatters = new Map<string, Intl.DateTimeFormat>()

/** Reads a zone's clocks; `undefined` for a time that no calendar has. */
export function clockAt(zone: string, nowMs: number): ClockTime | undefined {
  if (Number.isNaN(new Date(nowMs).getTime())) return undefined
  const formatter =
    formatters.get(zone) ??
    new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "short" })
  formatters.set(zone, formatter)
  const [date = "", time = ""] = formatter.format(nowMs).split(" ")
  const [hour, minute] = time.split(":").map(Number)
  return { date, day: dayOf(Date.parse(date)), minute: (hour ?? 0) * 60 + (minute ?? 0) }
}

/** The day before one of the week. */
export function dayBefore(day: Day): Day {
  return dayOf((days.indexOf(day) + 3) * dayMs - dayMs)
}

/** `08:05` */
export function timeText(minute: number): string {
  return new Date(minute * 60_000).toISOString().slice(11, 16)
}

const dayMs = 86_400_000
const hourMs = dayMs / 24

/**
 * The first millisecond of a zone's date and of the one after it, found by trying every hour around the midnight
 * of UTC: it is for zones that are whole hours away from it.
 */
export function dayAround(
  zone: string,
  nowMs: number,
): { readonly startMs: number; readonly endMs: number } | undefined {
  const date = clockAt(zone, nowMs)?.date
  if (date === undefined) return undefined
  const firstOf = (midnightMs: number): number => {
    const wanted = new Date(midnightMs).toISOString().slice(0, 10)
    let startMs = midnightMs - 14 * hourMs
    while (clockAt(zone, startMs)?.date !== wanted) startMs += hourMs
    return startMs
  }
  const midnightMs = Date.parse(date)
  return { startMs: firstOf(midnightMs), endMs: firstOf(midnightMs + dayMs) }
}

function dayOf(ms: number): Day {
  return days[new Date(ms).getUTCDay()] ?? "sun"
}
