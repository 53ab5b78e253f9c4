import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { prepareLedgerFile } from "../../src/vault/ledger/ledger-file.ts"
import { startMs } from "../support/fake-clock.ts"
import { verdictOf } from "../support/audit-ledger.ts"
import { growLedger } from "../support/big-ledger.ts"
import { signer } from "../support/ledger-ask.ts"

const entries = 300_000

/** How fast `countersign audit verify` goes through a ledger of 300,000 entries. */
export async function bench(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "cs-bench-"))
  try {
    const file = join(directory, "ledger.db")
    await prepareLedgerFile(file)
    growLedger(file, { client: "mm-bot", key: "mm-agent", signer, entries, endMs: startMs })
    const beganMs = performance.now()
    const verdict = await verdictOf(file)
    const seconds = (performance.now() - beganMs) / 1_000
    if (verdict.flaw !== undefined)
      throw new Error(`entry ${verdict.flaw.seq}: ${verdict.flaw.what}`)
    const rate = Math.round(verdict.entries / seconds)
    process.stdout.write(
      `  ${verdict.entries} entries in ${seconds.toFixed(2)} s: ${rate} a second\n`,
    )
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
