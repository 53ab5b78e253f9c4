import type { MetricFamily } from "../../link/metrics.ts"
import { ownFamilies } from "../../link/own-families.ts"
import { watchEventLoop, type LoopDelay } from "../../std/event-loop-delay.ts"
import { version } from "../../version.ts"
import { timeRoutes, type RouteTimes } from "./route-times.ts"
import { timeSends, type SendTimes } from "./send-times.ts"

/** What a gate counts of itself while it works. Nothing that a bot sent is a label. */
export type GateMetrics = Omit<RouteTimes, "families"> &
  Omit<SendTimes, "families"> & {
    /** Calls at work rose or fell by so many. */
    atWork(change: 1 | -1): void
    families(): readonly MetricFamily[]
  }

/** Starts with nothing counted. */
export function openGateMetrics(): GateMetrics {
  const routes = timeRoutes()
  const sends = timeSends()
  let inFlight = 0
  let delay: (() => LoopDelay) | undefined
  return {
    ...routes,
    ...sends,
    atWork: (change) => void (inFlight += change),
    families() {
      // Watched from the first question on: who is never asked pays nothing.
      delay ??= watchEventLoop()
      return [
        ...routes.families(),
        {
          name: "countersign_http_requests_in_flight",
          help: "Calls at work.",
          type: "gauge",
          labels: [],
          series: [[[], inFlight]],
        },
        ...sends.families(),
        ...ownFamilies("gate", { version, delay: delay() }),
      ]
    },
  }
}
