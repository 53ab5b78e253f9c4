import { emptyLedger, readLedger, type LedgerReader } from "../../audit/open-ledger.ts"
import { isThere } from "../../std/private-file.ts"
import { pathsOf, type Installation } from "../../vault/config/installation.ts"
import type { JournalHead } from "../../vault/ledger/store/audit-queries.ts"
import { dialOrNone } from "./admin.ts"
import { becomeOwner } from "./caller.ts"

/**
 * Reads the ledger, whether a daemon writes it or not; before the first start it is empty. `head`: where it ends by the daemon; what that has answered anybody by now
 * is there to be read.
 *
 * @throws {Fault} as `openLedgerReader` does.
 */
export async function withLedger<Answer>(
  installation: Installation,
  use: (ledger: LedgerReader, head: JournalHead | undefined) => Answer | Promise<Answer>,
): Promise<Answer> {
  becomeOwner(installation.stateDir)
  const head = await askHead(installation)
  const { ledgerFile } = pathsOf(installation)
  if (!isThere(ledgerFile)) return use(emptyLedger(), head)
  return readLedger(ledgerFile, (ledger) => use(ledger, head))
}

/** A daemon whose ledger failed can't tell. */
async function askHead(installation: Installation): Promise<JournalHead | undefined> {
  const link = await dialOrNone(installation)
  try {
    return await link?.call("ledgerHead", {})
  } catch {
    return undefined
  } finally {
    link?.close()
  }
}
