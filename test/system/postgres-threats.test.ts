// Threats that the ledger answers, with it on a real PostgreSQL as one host has it. The others are answered before the
// ledger is asked, or by keys, gate and console, which are the same whatever engine it has.

import { before, describe } from "node:test"

import { keepLedgers } from "../support/open-test-vault.ts"
import { onPostgres } from "../support/postgres-ledger.ts"
import { needsPostgres } from "../support/postgres-server.ts"
import { primaryOfSuite } from "../support/postgres-suite.ts"
import { numRuns } from "../support/runs.ts"

/** The first few are tried whenever the system is; all in the long run. */
const threats = [
  "nonce-repeated-by-concurrency",
  "signs-while-frozen",
  "idempotency-key-signs-two-orders",
  "signature-before-its-record",
  "cap-past-by-concurrency",
  "clock-stops-a-cancel",
  "ended-permission-comes-back",
  "gate-frees-a-limit",
  "gate-lies-about-outcomes",
  "gate-lies-about-the-clock",
  "policy-replaced-while-a-request-waits",
  "revoked-agent-signs",
  "uncounted-batch-past-a-limit",
]
const tried = threats.slice(0, numRuns(4).numRuns)

describe("with the ledger on PostgreSQL", needsPostgres, () => {
  const primary = primaryOfSuite()
  before(() => {
    keepLedgers(onPostgres(primary).elsewhere)
  })

  for (const threat of tried) {
    describe(threat, async () => {
      await import(`../threats/${threat}.test.ts`)
    })
  }
})
