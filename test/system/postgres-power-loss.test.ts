import { describe } from "node:test"

import { needsPostgres } from "../support/postgres-server.ts"
import { numRuns } from "../support/runs.ts"
import { describeTornCopy } from "../support/torn-copy.ts"

describe("with its ledger on PostgreSQL", needsPostgres, () => {
  describeTornCopy(numRuns(4).numRuns)
})
