import { parseDurationMs } from "../../std/time/duration.ts"
import { Fault } from "../../std/fault.ts"

/** The moment that `7d` (so long ago) or a date like 2026-05-28 or 2026-05-28T12:00:00Z stands for. */
export function momentOf(text: string, option: string): number {
  const agoMs = parseDurationMs(text)
  if (agoMs !== undefined) return Math.max(0, Date.now() - agoMs)
  const atMs = parseDateMs(text)
  if (atMs !== undefined) return atMs
  throw new Fault("usage", `${option} takes a duration like 7d or ${dateForm}.`)
}

/** The moment that a date stands for. */
export function dateOf(text: string, option: string): number {
  const atMs = parseDateMs(text)
  if (atMs !== undefined) return atMs
  throw new Fault("usage", `${option} takes ${dateForm}.`)
}

/** What {@link parseDateMs} reads. */
export const dateForm = "a date like 2026-05-28 or 2026-05-28T12:00:00Z"

/** Reads a date, which alone is the first moment of its day in UTC, as milliseconds since 1970; `undefined` where it isn't one. */
export function parseDateMs(text: string): number | undefined {
  const atMs = datePattern.test(text) ? Date.parse(text) : NaN
  return Number.isFinite(atMs) && atMs >= 0 ? atMs : undefined
}

const datePattern =
  /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/
