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
