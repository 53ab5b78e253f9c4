const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const durationPattern = /^([1-9]\d{0,8})(ms|s|m|h|d)$/

/** Reads `10s`, `250ms`, `1h` as milliseconds; `undefined` when `text` isn't a duration. */
export function parseDurationMs(text: string): number | undefined {
  const [, count, unit] = durationPattern.exec(text) ?? []
  if (count === undefined || unit === undefined) return undefined
  return Number(count) * unitMs[unit as keyof typeof unitMs] // the pattern admits these units alone
}
