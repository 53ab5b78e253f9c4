// A short round of test/system/crash.test.ts.

import { describeKilledVault } from "../support/crash-rounds.ts"
import { numRuns } from "../support/runs.ts"

describeKilledVault(numRuns(1).numRuns)
