import { describeKilledVault } from "../support/crash-rounds.ts"
import { numRuns } from "../support/runs.ts"

describeKilledVault(numRuns(10).numRuns)
