/** What one request weighs, and whose it is. */
export type Weighed = {
  readonly client: string
  readonly weight: number
  /** The venue has counted it too, if it was sent. */
  readonly isCertain: boolean
}

/** Weights that each count for the same time. It takes them in the order of time. */
export type RollingWindow = {
  add(weighed: Weighed, atMs: number): void
  /** Forgets what has counted for its time. */
  moveTo(nowMs: number): void
  /** What counts. */
  total(): number
  /** What of that is one client's. */
  totalOf(client: string): number
  /** What is certain of that and was added after `atMs`. */
  certainAfter(atMs: number): number
  /** All that counts, the oldest first, each with the time at which it stops counting. */
  ends(): Iterable<Ending>
}

type Ending = Weighed & { readonly untilMs: number }
type Part = Weighed & { readonly atMs: number }

/** How many forgotten parts may lie before those that count: moving these costs their number. */
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

/** One after the other, since who asks seldom needs many. */
function* endsOf(parts: readonly Part[], first: number, lengthMs: number): Generator<Ending> {
  for (let index = first; index < parts.length; index += 1) {
    const part = parts[index]
    if (part !== undefined) yield { ...part, untilMs: part.atMs + lengthMs }
  }
}

function isAlike(last: Part, { client, isCertain }: Weighed, atMs: number): boolean {
  return last.atMs === atMs && last.client === client && last.isCertain === isCertain
}

/** Which records a repeat was counted of, each for the same time. */
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
