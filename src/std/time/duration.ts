export const dayMs = 86_400_000

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: dayMs } as const
const durationPattern = /^([1-9]\d{0,8})(ms|s|m|h|d)$/

/** A hundred years: the current time plus any duration still fits a `Date`. */
const maxDurationMs = 36_500 * unitMs.d

/** As {@link parseDurationMs}, from `leastMs` to `mostMs`. */
export function durationWithin(text: string, leastMs: number, mostMs: number): number | undefined {
  const ms = parseDurationMs(text)
  return ms !== undefined && ms >= leastMs && ms <= mostMs ? ms : undefined
}

/** Parses `10s`, `250ms`, `1h` as milliseconds; `undefined` when `text` isn't a duration of 1 ms to 36,500 days. */
export function parseDurationMs(text: string): number | undefined {
  const [, count, unit] = durationPattern.exec(text) ?? []
  if (count === undefined || unit === undefined) return undefined
  const ms = Number(count) * unitMs[unit as keyof typeof unitMs] // the pattern admits these units alone
  return ms <= maxDurationMs ? ms : undefined
}
