import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"

import { Fault } from "../../std/fault.ts"
import { pathsOf, type Installation } from "../../vault/config/installation.ts"
import { readLedgerKey } from "../../vault/ledger/audit/ledger-key.ts"
import { moveSql } from "../../vault/ledger/postgres/move-sql.ts"
import { openDatabase } from "../../vault/ledger/sqlite/database.ts"
import { command } from "../cli/command.ts"
import type { Terminal } from "../cli/terminal.ts"
import { becomeOwner } from "../installation/become-owner.ts"
import { installationOf, installationOptions } from "../installation/installation-command.ts"
import { loadConfig } from "../installation/load-config.ts"

/** `countersign ledger move` */
export const ledgerMove = command({
  description: "print the SQL that moves the ledger of a stopped daemon to PostgreSQL",
  notes:
    "For psql, in one transaction, as a user who may make roles and schemas. Whose ledger it is, countersign.yaml says (ledger: engine: postgres). What is printed holds every order, and no key.",
  examples: ["countersign ledger move > ledger.sql"],
  options: installationOptions,
  run: async (options, terminal) => {
    await writeSql(installationOf(options), terminal)
    return 0
  },
})

async function writeSql(installation: Installation, { stdout }: Terminal): Promise<void> {
  becomeOwner(installation.stateDir)
  const { postgres } = await loadConfig(installation)
  if (postgres === undefined) {
    throw new Fault(
      "usage",
      "Say in countersign.yaml where it moves to: ledger: {engine: postgres, host: a}.",
    )
  }
  const { ledgerFile, ledgerKeyFile } = pathsOf(installation)
  const key = await readLedgerKey(ledgerKeyFile)
  if (key === undefined) {
    throw new Fault("ledger_unusable", `${ledgerKeyFile} is gone; put it back from a back-up.`)
  }
  const database = openDatabase(ledgerFile)
  try {
    await pipeline(Readable.from(moveSql(database, postgres, key)), stdout, { end: false })
  } finally {
    database.close()
  }
}
