import { describe } from "node:test"

import { describeKilledFleet } from "../support/fleet-run.ts"
import { needsPostgres } from "../support/postgres-server.ts"
import { numRuns } from "../support/runs.ts"

describe("with one ledger on PostgreSQL", needsPostgres, () => {
  describeKilledFleet(numRuns(1).numRuns)
})
