/** What the clocks of a time zone show. `day` is `sun` to `sat`, `minute` counts from local midnight. */
export type LocalTime = { readonly date: string; readonly day: Day; readonly minute: number }

export const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const
export type Day = (typeof days)[number]

/** The local time in its zone; `undefined` for a time that no calendar has. */
export type LocalClock = (nowMs: number) => LocalTime | undefined

/** ECMAScript's last time: a later one is no date, and beyond 2^53 no exact number. */
export const maxTimeMs = 8_640_000_000_000_000

/** A clock of a time zone by its IANA name; `undefined` when there is no such zone. */
export function localClock(zone: string): LocalClock | undefined {
  const formatter = formatterFor(zone)
  if (formatter === undefined) return undefined
  let last: { readonly second: number; readonly time: LocalTime | undefined } | undefined
  return (nowMs) => {
    if (!(Math.abs(nowMs) <= maxTimeMs)) return undefined
    // Zones differ by whole seconds, so the answer is kept for a second: policies ask many times per request.
    const second = Math.floor(nowMs / 1_000)
    if (last?.second !== second) last = { second, time: parseTime(formatter.format(nowMs)) }
    return last.time
  }
}

function formatterFor(zone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      calendar: "gregory",
      numberingSystem: "latn",
      hourCycle: "h23",
      weekday: "short",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
    })
  } catch {
    return undefined // a RangeError: Intl knows no such zone
  }
}

const formatPattern = /^(\w{3}), (\d+\/\d+\/\d+), (\d{2}):(\d{2})$/

/** From a text such as `Fri, 11/20/2026, 09:30`. */
function parseTime(text: string): LocalTime | undefined {
  const [, weekday = "", date = "", hour, minute] = formatPattern.exec(text) ?? []
  const day = days.find((name) => name === weekday.toLowerCase())
  return day && { date, day, minute: Number(hour) * 60 + Number(minute) }
}

/** A calendar day of some time zone, 23 to 25 hours long. Milliseconds. */
export type DayWindow = {
  readonly kind: "day"
  readonly startMs: number
  readonly endMs: number
}

/** Over which something is counted: a while, or the calendar day of a zone. */
export type LimitWindow =
  | { readonly kind: "rolling"; readonly lengthMs: number }
  | {
      readonly kind: "day"
      readonly zone: string
      /** The calendar day around a time; `undefined` for a time that no calendar has. */
      readonly dayAt: (nowMs: number) => DayWindow | undefined
    }

/** Longer than any calendar day, even when clocks change. */
export const longestDayMs = 26 * 3_600_000

/**
 * Finds the calendar day around a time, from its first millisecond to the first millisecond of the next day.
 * When clocks change, a day has 23 or 25 hours.
 */
export function dayWindow(clock: LocalClock): (nowMs: number) => DayWindow | undefined {
  let last: DayWindow | undefined
  return (nowMs) => {
    // Finding a day takes about fifty looks at the clock, so the last one is kept.
    if (last !== undefined && nowMs >= last.startMs && nowMs < last.endMs) return last
    last = findDay(clock, nowMs)
    return last
  }
}

function findDay(clock: LocalClock, nowMs: number): DayWindow | undefined {
  const date = clock(nowMs)?.date
  if (date === undefined) return undefined
  const isSameDay = (atMs: number): boolean => clock(atMs)?.date === date
  const wholeMs = Math.floor(nowMs)
  return {
    kind: "day",
    startMs: firstMs(wholeMs - longestDayMs, wholeMs, isSameDay),
    endMs: firstMs(wholeMs, wholeMs + longestDayMs, (atMs) => !isSameDay(atMs)),
  }
}

/** The first time after `beforeMs` when `holds` is true. It must stay true until `atMs`. */
function firstMs(beforeMs: number, atMs: number, holds: (timeMs: number) => boolean): number {
  let low = beforeMs
  let high = atMs
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (holds(middle)) high = middle
    else low = middle
  }
  return high
}
