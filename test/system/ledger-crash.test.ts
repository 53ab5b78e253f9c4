import { describeKilledLedger } from "../support/ledger-crash.ts"
import { numRuns } from "../support/runs.ts"

describeKilledLedger(numRuns(20).numRuns)
