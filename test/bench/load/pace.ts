import { performance } from "node:perf_hooks"
import { setTimeout as sleep } from "node:timers/promises"

export type Pace = { readonly perSecond: number; readonly seconds: number }

/**
 * Does `one` at random moments, so often on average, as a bot does that follows a market: nothing is sent meanwhile, so
 * nothing is kept warm. Returns how long each took, in milliseconds. What is due while another is still at work waits
 * for it, and that counts; a timer that is late doesn't, since that is this process.
 */
export async function atPace(
  one: (turn: number) => unknown,
  { perSecond, seconds }: Pace,
): Promise<readonly number[]> {
  const timesMs: number[] = []
  const startMs = performance.now()
  const endMs = startMs + seconds * 1_000
  for (let dueMs = startMs; ;) {
    // Poisson's: the time to the next is exponential.
    dueMs -= (Math.log(1 - Math.random()) * 1_000) / perSecond
    if (dueMs > endMs) return timesMs
    const earlyMs = dueMs - performance.now()
    if (earlyMs > 0) await sleep(earlyMs)
    const fromMs = earlyMs > 0 ? performance.now() : dueMs
    await one(timesMs.length)
    timesMs.push(performance.now() - fromMs)
  }
}
