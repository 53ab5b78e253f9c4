import { parseDurationMs } from "../../std/duration.ts"
import { Fault } from "../../std/fault.ts"

/** The moment that `7d` (so long ago) or a date like 2026-05-28 or 2026-05-28T12:00:00Z stands for. */
export function momentOf(text: string, option: string): number {
  const agoMs = parseDurationMs(text)
  if (agoMs !== undefined) return Math.max(0, Date.now() - agoMs)
  const atMs = datePattern.test(text) ? Date.parse(text) : NaN // a date alone is UTC
  if (Number.isFinite(atMs) && atMs >= 0) return atMs
  throw new Fault(
    "usage",
    `${option} takes a duration like 7d or a date like 2026-05-28 or 2026-05-28T12:00:00Z.`,
  )
}

const datePattern =
  /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2}))?$/
