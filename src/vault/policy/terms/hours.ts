import { days, type Day, type LocalClock, type LocalTime } from "./local-clock.ts"

/**
 * Hours of a week, as the clocks of a zone show them: half-open, `[from, to)`. Where `toMinute` is
 * earlier than `fromMinute` they go on over midnight, and `days` are those on which they begin.
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

/** Whether the hours hold at a time; `undefined` when no clock shows it. */
export function isWithinHours(hours: Hours, nowMs: number): boolean | undefined {
  const time = hours.clock(nowMs)
  return time && holdsAt(hours, time)
}

/** Hours as people read them, `mon, tue 08:00-18:00 Europe/Berlin`. */
export function hoursText({ zone, days, fromMinute, toMinute }: Hours): string {
  const which = days === undefined ? "" : `${days.join(", ")} `
  return `${which}${minuteText(fromMinute)}-${minuteText(toMinute)} ${zone}`
}

/** A time of day as people read it, `08:05`. */
export function minuteText(minute: number): string {
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
