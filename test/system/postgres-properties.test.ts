// What holds of any ledger, on a real PostgreSQL as one host has it; with a share of the random cases.

import { describe } from "node:test"

import { holdLedgerProperties } from "../properties/ledger/all.ts"
import { onPostgres } from "../support/postgres-ledger.ts"
import { needsPostgres } from "../support/postgres-server.ts"
import { primaryOfSuite } from "../support/postgres-suite.ts"

describe("the ledger's properties on PostgreSQL", needsPostgres, () => {
  const primary = primaryOfSuite()

  holdLedgerProperties(onPostgres(primary))
})
