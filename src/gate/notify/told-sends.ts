import { type GateMetrics, knownOf } from "../metrics/gate-metrics.ts"
import type { Notify } from "./notify.ts"

/** The same metrics; of sends whose outcome is unknown `notify` hears too. */
export function toldSends(
  metrics: GateMetrics,
  notify: Pick<Notify, "outcomeUnknown">,
): GateMetrics {
  return {
    ...metrics,
    sent(outcome, record) {
      metrics.sent(outcome, record)
      if (knownOf(outcome) === "unknown") notify.outcomeUnknown(record)
    },
  }
}
