/** The weight of one request, and its client. */
export type Weighed = {
  readonly client: string
  readonly weight: number
  /** The venue has counted it too, if it was sent. */
  readonly isCertain: boolean
}

/** Weights that each count for the same time. They must be added in the order of time. */
export type RollingWindow = {
  add(weighed: Weighed, atMs: number): void
  /** Forgets weights whose time is over. */
  moveTo(nowMs: number): void
  /** The sum of the weights that count. */
  total(): number
  /** One client's part of the sum. */
  totalOf(client: string): number
  /** The part of the sum that is certain and was added after `atMs`. */
  certainAfter(atMs: number): number
  /** All that counts, the oldest first, each with the time at which it stops counting. */
  ends(): Iterable<Ending>
}

type Ending = Weighed & { readonly untilMs: number }
type Part = Weighed & { readonly atMs: number }

/** How many forgotten parts may stay in the array: removing them moves all that count. */
const maxForgotten = 1_000

/** Starts empty. What is added at t counts while the time is below t + `lengthMs`. */
export function rollingWindow(lengthMs: number): RollingWindow {
  const parts: Part[] = []
  let first = 0
  let total = 0
  const byClient = new Map<string, number>()
  const totalOf = (client: string): number => byClient.get(client) ?? 0
  const change = (client: string, by: number): void => {
    total += by
    byClient.set(client, totalOf(client) + by)
  }
  return {
    add(weighed, atMs) {
      const last = parts.at(-1)
      const latestMs = Math.max(atMs, last?.atMs ?? atMs)
      if (last !== undefined && first < parts.length && isAlike(last, weighed, latestMs)) {
        parts[parts.length - 1] = { ...last, weight: last.weight + weighed.weight }
      } else parts.push({ ...weighed, atMs: latestMs })
      change(weighed.client, weighed.weight)
    },
    moveTo(nowMs) {
      for (let part = parts[first]; part !== undefined; part = parts[first]) {
        if (nowMs < part.atMs + lengthMs) break
        change(part.client, -part.weight)
        first += 1
      }
      if (first < maxForgotten && first < parts.length) return
      parts.splice(0, first)
      first = 0
    },
    total: () => total,
    totalOf,
    certainAfter: (atMs) =>
      parts
        .slice(first)
        .filter((part) => part.isCertain && part.atMs > atMs)
        .reduce((sum, { weight }) => sum + weight, 0),
    ends: () => endsOf(parts, first, lengthMs),
  }
}

/** A generator, because callers seldom need many. */
function* endsOf(parts: readonly Part[], first: number, lengthMs: number): Generator<Ending> {
  for (let index = first; index < parts.length; index += 1) {
    const part = parts[index]
    if (part !== undefined) yield { ...part, untilMs: part.atMs + lengthMs }
  }
}

function isAlike(last: Part, { client, isCertain }: Weighed, atMs: number): boolean {
  return last.atMs === atMs && last.client === client && last.isCertain === isCertain
}

/** The records for which a repeat was counted, each kept for the same time. */
export type CountedRepeats = {
  has(record: string, nowMs: number): boolean
  add(record: string, nowMs: number): void
}

/** Starts empty. What is added at t is there while the time is below t + `lengthMs`. */
export function openCountedRepeats(lengthMs: number): CountedRepeats {
  const untilMs = new Map<string, number>() // in the order of time, for all last as long
  return {
    has: (record, nowMs) => nowMs < (untilMs.get(record) ?? -Infinity),
    add(record, nowMs) {
      for (const [earlier, endMs] of untilMs) {
        if (nowMs < endMs) break
        untilMs.delete(earlier)
      }
      untilMs.delete(record)
      untilMs.set(record, nowMs + lengthMs)
    },
  }
}
