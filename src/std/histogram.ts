/** Counts per bucket: values above the bound before and up to this bound. The last bucket has the values above all bounds. */
export type Observed = { readonly counts: readonly number[]; readonly sum: number }

/** Counts values in fixed buckets, whose `bounds` rise. A value costs a search and three writes, and no memory. */
export function openHistogram(bounds: readonly number[]) {
  const counts = new Float64Array(bounds.length + 1)
  let sum = 0
  return {
    bounds,
    observe(value: number): void {
      let index = 0
      while (index < bounds.length && value > (bounds[index] ?? value)) index += 1
      counts[index] = (counts[index] ?? 0) + 1
      sum += value
    },
    read: () => ({ counts: [...counts], sum }),
  }
}

/** Bounds for our own work, in seconds: from parsing to a disk that hangs. */
export const workBoundsSeconds: readonly number[] = [
  0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
]

/** Bounds for waiting, in seconds: from a vault that answers at once to a venue that doesn't answer. */
export const waitBoundsSeconds: readonly number[] = [
  0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
]

/** Bounds for how many entries a commit carries. */
export const entryBounds: readonly number[] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
