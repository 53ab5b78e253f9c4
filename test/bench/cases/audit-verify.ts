import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { prepareLedgerFile } from "../../../src/vault/ledger/sqlite/database.ts"
import { verdictOf } from "../../support/audit-ledger.ts"
import { growLedger } from "../../support/big-ledger.ts"
import { startMs } from "../../support/fake-clock.ts"
import { signer } from "../../support/ledger-ask.ts"
import type { Case, Figures } from "../case.ts"

/** How fast `countersign audit verify` goes through a ledger. */
export const auditVerify: Case = {
  name: "audit-verify",
  what: "verify the chain of a ledger; --records says how long it is",
  async open({ records: entries }) {
    const directory = await mkdtemp(join(tmpdir(), "cs-bench-"))
    const file = join(directory, "ledger.db")
    await prepareLedgerFile(file)
    growLedger(file, { client: "mm-bot", key: "mm-agent", signer, entries, endMs: startMs })
    return {
      subjects: [{ name: "audit verify", measure: () => verify(file) }],
      close: () => rm(directory, { recursive: true, force: true, maxRetries: 10 }),
    }
  },
}

async function verify(file: string): Promise<Figures> {
  const beganMs = performance.now()
  const { flaw, entries } = await verdictOf(file)
  if (flaw !== undefined) throw new Error(`entry ${flaw.seq}: ${flaw.what}`)
  const seconds = (performance.now() - beganMs) / 1_000
  return { "entries/s": entries / seconds, entries }
}
