import type { Entries } from "../asks.ts"

/** What had been counted when the vault told its state. */
export type Sample = {
  readonly atMs: number
  readonly allowed: number
  readonly refused: number
  /** Answers by how long they took: one for each bound, and one for those beyond the last. */
  readonly answers: readonly number[]
}

/** The same as lines over time; `null` where nothing can be said. */
export type Series = ReturnType<typeof seriesOf>

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
export function seriesOf(samples: readonly Sample[], boundsSeconds: readonly number[]) {
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

/** What was decided before the page looked first, counted by seconds back from then. */
export type Past = {
  /** When it looked first. */
  readonly untilMs: number
  /** How far back all is known. */
  readonly fromMs: number
  readonly allowed: readonly number[]
  readonly refused: readonly number[]
}

const secondMs = 1_000
const nothing: readonly number[] = Array<number>(shownMs / secondMs).fill(0)

/** Nothing is known of what was before `untilMs`. */
export function emptyPast(untilMs: number): Past {
  return { untilMs, fromMs: untilMs, allowed: nothing, refused: nothing }
}

/** Counts what the ledger has of an earlier time; each part of it once. */
export function withPast(past: Past, { decisions, repeats, since, is_end: isEnd }: Entries): Past {
  const [allowed, refused] = [[...past.allowed], [...past.refused]]
  const count = (counts: number[], atMs: number, times: number): void => {
    const second = Math.floor((past.untilMs - atMs) / secondMs)
    if (second >= 0 && second < counts.length) counts[second] = (counts[second] ?? 0) + times
  }
  for (const { result, at } of decisions) {
    if (result !== "held") count(result === "allowed" ? allowed : refused, at, 1)
  }
  for (const { at, count: times } of repeats) count(refused, at, times)
  const fromMs = isEnd ? past.untilMs - shownMs : Math.min(past.fromMs, since ?? past.fromMs)
  return { ...past, fromMs, allowed, refused }
}

/** What had been counted at the end of each of those seconds, where it stood at `first` when the page looked first. */
export function pastSamples(past: Past, first: Sample): readonly Sample[] {
  const known = Math.min(nothing.length, Math.floor((past.untilMs - past.fromMs) / secondMs))
  let { allowed, refused } = first
  return Array.from({ length: known }, (_, second): Sample => {
    allowed -= past.allowed[second] ?? 0
    refused -= past.refused[second] ?? 0
    return { ...first, atMs: past.untilMs - (second + 1) * secondMs, allowed, refused }
  }).reverse()
}
