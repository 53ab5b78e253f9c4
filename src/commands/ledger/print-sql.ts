import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"

import { Fault } from "../../std/fault.ts"
import type { PostgresLedger } from "../../vault/config/ledger-config.ts"
import { pathsOf, type Installation } from "../../vault/config/installation.ts"
import { readLedgerKey } from "../../vault/ledger/audit/ledger-key.ts"
import { openDatabase } from "../../vault/ledger/sqlite/database.ts"
import type { LedgerKey } from "../../vault/ledger/store/audit-jobs.ts"
import type { Terminal } from "../cli/terminal.ts"
import { becomeOwner } from "../installation/become-owner.ts"
import { loadConfig } from "../installation/load-config.ts"

/** Pieces of SQL about the ledger in the file, by what countersign.yaml says of PostgreSQL. @throws {Fault} */
export type MakeSql = (
  database: ReturnType<typeof openDatabase>,
  postgres: PostgresLedger,
  key: LedgerKey,
) => Iterable<string>

/** Prints SQL about the ledger of a stopped daemon. @throws {Fault} */
export async function printSql(
  installation: Installation,
  make: MakeSql,
  { stdout }: Terminal,
): Promise<void> {
  becomeOwner(installation.stateDir)
  const { postgres } = await loadConfig(installation)
  if (postgres === undefined) {
    throw new Fault(
      "usage",
      "Say in countersign.yaml where the ledger is to be: ledger: {engine: postgres, host: a}.",
    )
  }
  const { ledgerFile, ledgerKeyFile } = pathsOf(installation)
  const key = await readLedgerKey(ledgerKeyFile)
  if (key === undefined) {
    throw new Fault("ledger_unusable", `${ledgerKeyFile} is gone; put it back from a back-up.`)
  }
  const database = openDatabase(ledgerFile)
  try {
    await pipeline(Readable.from(make(database, postgres, key)), stdout, { end: false })
  } finally {
    database.close()
  }
}
