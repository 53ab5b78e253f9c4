import { afterEach, beforeEach } from "node:test"

import type { Ledger } from "../../src/vault/ledger/ledger.ts"
import { openLedger } from "../../src/vault/ledger/open-ledger.ts"
import { fakeClock, type FakeClock } from "./fake-clock.ts"
import { ledgerPlace, type LedgerPlace } from "./ledger-ask.ts"

// Of the test that runs, once `openLedgerForEach` was called. Who imports them sees what they are then.
export let place: LedgerPlace
export let clock: FakeClock
export let ledger: Ledger

/** Gives each test of a file a new ledger, its place and a clock. */
export function openLedgerForEach(): void {
  beforeEach(async () => {
    place = await ledgerPlace()
    clock = fakeClock()
    ledger = await openLedger({ file: place.file, clock })
  })
  afterEach(async () => {
    await ledger.close()
    await place.remove()
  })
}

/** Closes the ledger, and opens it again by what its file has. */
export async function reopen(): Promise<void> {
  await ledger.close()
  ledger = await openLedger({ file: place.file, clock })
}
