import type { Entries } from "../asks.ts"
import { shownMs, type Sample } from "./rates.ts"

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
