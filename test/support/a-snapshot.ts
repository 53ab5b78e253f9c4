import { DatabaseSync } from "node:sqlite"

import { openLedger } from "../../src/vault/ledger/open-ledger.ts"
import type { Claim } from "../../src/vault/policy/terms.ts"
import { aClaim } from "./a-claim.ts"
import type { FakeClock } from "./fake-clock.ts"

/** How a ledger is opened whose meters are kept. */
export type KeptAsk = {
  readonly file: string
  readonly clock: FakeClock
  readonly countedBy?: string
  readonly claims?: readonly Claim[]
}

/** Opens a ledger and counts from the beginning; tells how many requests that took. */
export async function openKept({
  file,
  clock,
  countedBy = "these limits",
  claims = [aClaim()],
}: KeptAsk) {
  const ledger = await openLedger({ file, clock })
  let folded = 0
  const build = (): readonly Claim[] => {
    folded += 1
    return claims
  }
  await ledger.replaceMeters(build, Infinity, { countedBy })
  return { ledger, folded }
}

/** Runs a statement on a closed ledger. */
export function change(file: string, sql: string): void {
  const database = new DatabaseSync(file)
  try {
    database.exec(sql)
  } finally {
    database.close()
  }
}
