import { parseDurationMs } from "../../std/time/duration.ts"

// What texts of a command line stand for; `undefined` where they stand for nothing.

/** A number without a sign, up to `most`, in no more digits than that has. */
export function wholeUpTo(most: number): (text: string) => number | undefined {
  const digits = new RegExp(`^\\d{1,${String(most).length}}$`)
  return (text) => (digits.test(text) && Number(text) <= most ? Number(text) : undefined)
}

export const portOf = wholeUpTo(65_535)
/** What {@link portOf} reads. */
export const portForm = "a number from 0 to 65535; 0 picks a free port"

/** The moment that `7d` (so long ago) or a date like 2026-05-28 or 2026-05-28T12:00:00Z stands for. */
export function momentOf(text: string): number | undefined {
  const agoMs = parseDurationMs(text)
  return agoMs === undefined ? dateOf(text) : Math.max(0, Date.now() - agoMs)
}

/** A date, which alone is the first moment of its day in UTC, as milliseconds since 1970. */
export function dateOf(text: string): number | undefined {
  const atMs = datePattern.test(text) ? Date.parse(text) : NaN
  return Number.isFinite(atMs) && atMs >= 0 ? atMs : undefined
}

/** What {@link dateOf} reads. */
export const dateForm = "a date like 2026-05-28 or 2026-05-28T12:00:00Z"
/** What {@link momentOf} reads. */
export const momentForm = `a duration like 7d or ${dateForm}`

const datePattern =
  /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/
