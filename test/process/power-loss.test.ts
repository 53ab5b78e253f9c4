// A short round of test/system/power-loss.test.ts.

import { describePowerLoss } from "../support/power-loss.ts"
import { numRuns } from "../support/runs.ts"

describePowerLoss(numRuns(2).numRuns)
