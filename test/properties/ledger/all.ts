import { describe } from "node:test"

import type { FileEngine } from "../../support/ledger-engines.ts"
import { holdEver } from "./ever.ts"
import { holdFreezes } from "./freezes.ts"
import { holdIdempotency } from "./idempotency.ts"
import { holdMeterSnapshots } from "./meter-snapshots.ts"
import { holdBatches } from "./sign-batch.ts"
import { holdSigned } from "./sign-request.ts"
import { holdState } from "./state.ts"

/** What holds of any ledger that is kept in a file, and of a vault that has one; a test for each property. */
export function holdLedgerProperties(engine: FileEngine): void {
  describe(`with the ledger's engine: ${engine.name}`, () => {
    holdState(engine)
    holdEver(engine)
    holdMeterSnapshots(engine)
    holdIdempotency(engine)
    holdFreezes(engine)
    holdBatches(engine)
    holdSigned(engine)
  })
}
