const hourMs = 3_600_000

/** `2d` rather than 48h, and `24h` rather than 1d, which a day of a calendar needn't be. */
const units = [
  { unit: "d", ms: 24 * hourMs, leastMs: 48 * hourMs },
  { unit: "h", ms: hourMs, leastMs: hourMs },
  { unit: "m", ms: 60_000, leastMs: 60_000 },
  { unit: "s", ms: 1_000, leastMs: 1_000 },
] as const

/** A duration as it is written in a policy, in the largest unit that it is a whole number of: `90m`, `24h`, `250ms`. */
export function durationText(durationMs: number): string {
  const fitting = units.find(({ ms, leastMs }) => durationMs >= leastMs && durationMs % ms === 0)
  return fitting === undefined ? `${durationMs}ms` : `${durationMs / fitting.ms}${fitting.unit}`
}
