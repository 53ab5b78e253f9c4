import { describe } from "node:test"

import { startCrashPostgres } from "../support/crash-on-postgres.ts"
import { describeKilledVault } from "../support/crash-rounds.ts"
import { needsPostgres } from "../support/postgres-server.ts"
import { numRuns } from "../support/runs.ts"

describe("with its ledger on PostgreSQL", needsPostgres, () => {
  describeKilledVault(numRuns(1).numRuns, startCrashPostgres)
})
