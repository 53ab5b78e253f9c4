import type { ServerResponse } from "node:http"

import type { GateMetrics } from "./metrics/gate-metrics.ts"
import type { Problem } from "./problem.ts"
import { httpAnswer, sendAnswer } from "./reply.ts"

/** Answers what no route was found for, or what none can take now. */
export function refuse(
  { metrics }: { readonly metrics: Pick<GateMetrics, "refused"> },
  response: ServerResponse,
  problem: Problem,
): void {
  metrics.refused(problem.code)
  sendAnswer(response, httpAnswer({ kind: "problem", problem }))
}
