import { monitorEventLoopDelay } from "node:perf_hooks"

/** By how much the event loop kept what was due waiting, in seconds, over some seconds past. */
export type LoopDelay = {
  readonly meanSeconds: number
  readonly p99Seconds: number
  readonly maxSeconds: number
}

const resolutionMs = 20
/** As long as a scrape usually lets pass, and no matter who scrapes how often. */
const windowMs = 15_000

/** Watches this process's event loop until it ends, and tells of the last whole window, or of the first so far. */
export function watchEventLoop(): () => LoopDelay {
  const measured = monitorEventLoopDelay({ resolution: resolutionMs })
  measured.enable()
  let last: LoopDelay | undefined
  const now = (): LoopDelay => ({
    meanSeconds: lateSeconds(measured.mean),
    p99Seconds: lateSeconds(measured.percentile(99)),
    maxSeconds: lateSeconds(measured.max),
  })
  const turn = (): void => {
    last = now()
    measured.reset()
  }
  setInterval(turn, windowMs).unref()
  return () => last ?? now()
}

/** What is measured lies between two looks, so the time that should lie there is in it. Nothing yet is not a number. */
function lateSeconds(betweenNs: number): number {
  const lateNs = betweenNs - resolutionMs * 1_000_000
  return lateNs > 0 ? lateNs / 1_000_000_000 : 0
}
