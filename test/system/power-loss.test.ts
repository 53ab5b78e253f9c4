import { describePowerLoss } from "../support/power-loss.ts"
import { numRuns } from "../support/runs.ts"

describePowerLoss(numRuns(20).numRuns)
