/** The usual points of a distribution. Sorts a copy. */
export function quantilesOf(timesMs: readonly number[]): Readonly<{
  p50Ms: number
  p90Ms: number
  p99Ms: number
  p999Ms: number
}> {
  const sorted = Float64Array.from(timesMs).sort()
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
  return { p50Ms: at(0.5), p90Ms: at(0.9), p99Ms: at(0.99), p999Ms: at(0.999) }
}

/** The middle one; of an even number, the upper of the two. */
export function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
