import { monitorEventLoopDelay } from "node:perf_hooks"

/** How late the event loop ran what was due, in seconds, over the last window. */
export type LoopDelay = {
  readonly meanSeconds: number
  readonly p99Seconds: number
  readonly maxSeconds: number
}

const resolutionMs = 20
/** A usual scrape interval. The window doesn't depend on how often anyone scrapes. */
const windowMs = 15_000

/** Watches this process's event loop until it ends. Returns the last whole window, or the first one so far. */
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

/** Node measures the time between two looks, so the planned interval is subtracted. Its NaN before the first look gives 0. */
function lateSeconds(betweenNs: number): number {
  const lateNs = betweenNs - resolutionMs * 1_000_000
  return lateNs > 0 ? lateNs / 1_000_000_000 : 0
}
