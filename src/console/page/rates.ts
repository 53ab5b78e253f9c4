/** What had been counted when the vault told its state. */
export type Sample = {
  readonly atMs: number
  readonly allowed: number
  readonly refused: number
  /** Answers by how long they took: one for each bound, and one for those beyond the last. */
  readonly answers: readonly number[]
}

/** The same as lines over time; `null` where nothing can be said. */
export type Series = {
  readonly atSeconds: readonly number[]
  readonly signedPerSecond: readonly (number | null)[]
  readonly refusedPerSecond: readonly (number | null)[]
  readonly p50Ms: readonly (number | null)[]
  readonly p99Ms: readonly (number | null)[]
}

/** How far back the plots reach. */
export const shownMs = 300_000

/** One second rarely has answers enough for a percentile. */
const latencyWindowMs = 10_000

/** Adds a sample, each later than the one before it, and lets go of those that are too old. */
export function withSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  const last = samples.at(-1)
  // The vault's clock was set back: how long ago the others were can't be told.
  if (last !== undefined && sample.atMs < last.atMs) return [sample]
  const [fromMs, toMs] = [sample.atMs - shownMs, sample.atMs]
  return [...samples.filter(({ atMs }) => atMs >= fromMs && atMs < toMs), sample]
}

/** Turns what was counted into what happened a second, and how long answers took. */
export function seriesOf(samples: readonly Sample[], boundsSeconds: readonly number[]): Series {
  const latencies = samples.map((_, index) => answersBefore(samples, index))
  const percentile = (share: number): readonly (number | null)[] =>
    latencies.map((answers) => quantileMs(boundsSeconds, answers, share))
  return {
    atSeconds: samples.map(({ atMs }) => atMs / 1_000),
    signedPerSecond: samples.map((_, index) => rate(samples, index, "allowed")),
    refusedPerSecond: samples.map((_, index) => rate(samples, index, "refused")),
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
  }
}

/** The share's place among `answers`, as if those of a bucket lay evenly in it; `null` where there are none. */
export function quantileMs(
  boundsSeconds: readonly number[],
  answers: readonly number[],
  share: number,
): number | null {
  const total = answers.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  const wanted = share * total
  let below = 0
  for (const [index, count] of answers.entries()) {
    const from = boundsSeconds[index - 1] ?? 0
    // Beyond the last bound nothing is known but that it was longer.
    const to = boundsSeconds[index] ?? from
    if (count > 0 && below + count >= wanted) {
      return (from + (to - from) * ((wanted - below) / count)) * 1_000
    }
    below += count
  }
  return null
}

function rate(
  samples: readonly Sample[],
  index: number,
  what: "allowed" | "refused",
): number | null {
  const [before, now] = [samples[index - 1], samples[index]]
  if (before === undefined || now === undefined) return null
  const change = now[what] - before[what]
  // It counts from nought again after a restart.
  return change < 0 ? null : change / ((now.atMs - before.atMs) / 1_000)
}

/** What was answered in the window that ends with this sample. */
function answersBefore(samples: readonly Sample[], index: number): readonly number[] {
  const now = samples[index]
  if (now === undefined) return []
  const fromMs = now.atMs - latencyWindowMs
  const outside = samples.findLastIndex((sample, place) => {
    const next = samples[place + 1]
    return place < index && (sample.atMs < fromMs || countsAnew(sample, next))
  })
  const first = samples[outside + 1] ?? now
  return now.answers.map((count, bucket) => count - (first.answers[bucket] ?? 0))
}

/** Whether the gate was started anew between the two. */
function countsAnew(before: Sample, after: Sample | undefined): boolean {
  return after?.answers.some((count, bucket) => count < (before.answers[bucket] ?? 0)) === true
}
