import { describeGuardedRun } from "../support/guarded-run.ts"
import { numRuns } from "../support/runs.ts"

describeGuardedRun(process.env["GUARDS_SEED"] ?? "23", {
  requests: numRuns(5_000).numRuns,
  kills: numRuns(10).numRuns,
})
