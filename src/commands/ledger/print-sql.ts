import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"

import { Fault } from "../../std/fault.ts"
import type { PostgresLedger } from "../../vault/config/ledger-config.ts"
import { pathsOf, type Installation } from "../../vault/config/installation.ts"
import { readLedgerKey } from "../../vault/ledger/audit/ledger-key.ts"
import { openDatabase } from "../../vault/ledger/sqlite/database.ts"
import type { LedgerKey } from "../../vault/ledger/store/audit-jobs.ts"
import { outOption, withNewFile } from "../cli/new-file.ts"
import type { Terminal } from "../cli/terminal.ts"
import { becomeOwner } from "../installation/caller.ts"
import { installationOf, type InstallationOptions } from "../installation/installation-command.ts"
import { loadConfig } from "../installation/load-config.ts"

/** Pieces of SQL about the ledger in the file, by what countersign.yaml says of PostgreSQL. @throws {Fault} */
export type MakeSql = (
  database: ReturnType<typeof openDatabase>,
  postgres: PostgresLedger,
  key: LedgerKey,
) => Iterable<string>

/** It holds every order. */
export const sqlOutOption = { out: outOption("the SQL") }

/** Prints SQL about the ledger of a stopped daemon, or writes it into the file `out`. @throws {Fault} */
export async function printSql(
  { out, ...options }: { readonly out: string | undefined } & InstallationOptions,
  make: MakeSql,
  { stdout }: Terminal,
): Promise<void> {
  const installation = installationOf(options)
  if (out === undefined) {
    await writeSql(installation, make, (pieces) => pipeline(pieces, stdout, { end: false }))
    return
  }
  await withNewFile(out, (file) =>
    writeSql(installation, make, (pieces) =>
      pipeline(pieces, file.createWriteStream({ flush: true })),
    ),
  )
}

async function writeSql(
  installation: Installation,
  make: MakeSql,
  write: (pieces: Readable) => Promise<void>,
): Promise<void> {
  becomeOwner(installation.stateDir)
  const postgres = await loadPostgres(installation)
  const { ledgerFile, ledgerKeyFile } = pathsOf(installation)
  const key = await readLedgerKey(ledgerKeyFile)
  if (key === undefined) {
    throw new Fault("ledger_unusable", `${ledgerKeyFile} is gone; put it back from a back-up.`)
  }
  const database = openDatabase(ledgerFile)
  try {
    await write(Readable.from(make(database, postgres, key)))
  } finally {
    database.close()
  }
}

/** What countersign.yaml says of PostgreSQL. @throws {Fault} `usage` where it says nothing. */
export async function loadPostgres(installation: Installation): Promise<PostgresLedger> {
  const { postgres } = await loadConfig(installation)
  if (postgres !== undefined) return postgres
  throw new Fault(
    "usage",
    "Say in countersign.yaml where the ledger is to be: ledger: {engine: postgres, host: a}.",
  )
}
