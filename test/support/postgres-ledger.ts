import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createSecureContext } from "node:tls"

import { keepServer } from "../../src/relay/keep-server.ts"
import { relayLimits } from "../../src/relay/process/relay-limits.ts"
import type { PostgresLedger } from "../../src/vault/config/ledger-config.ts"
import { loadLedgerKey } from "../../src/vault/ledger/audit/ledger-key.ts"
import { moveSql } from "../../src/vault/ledger/postgres/move-sql.ts"
import { postgresStore } from "../../src/vault/ledger/postgres/open-store.ts"
import { openDatabase, prepareLedgerFile } from "../../src/vault/ledger/sqlite/database.ts"
import type { LedgerKey } from "../../src/vault/ledger/store/audit-jobs.ts"
import type { EnginePlace } from "./ledger-engines.ts"
import { ledgerPlace } from "./ledger-ask.ts"
import { hostRole, type PostgresPlace, type PostgresServer } from "./postgres-server.ts"

/** A ledger in a database of its own, the copy of host `a`, and a relay between the two. */
export type PostgresLedgerPlace = EnginePlace & {
  readonly file: string
  readonly key: LedgerKey
  /** What countersign.yaml says of it. */
  readonly postgres: PostgresLedger
  /** SQL by the server's admin. */
  sql(text: string): string
}

/** Long enough for a busy machine; a standby that is away is waited for. */
const reachMs = 10_000

let made = 0

/** Moves a new ledger to `server`. */
export async function postgresLedgerPlace(
  { certificates }: PostgresPlace,
  server: PostgresServer,
  settings: Partial<PostgresLedger> = {},
): Promise<PostgresLedgerPlace> {
  const own = await ledgerPlace()
  const database = `ledger_${(made += 1)}`
  const postgres: PostgresLedger = {
    ...{ host: "a", role: hostRole, database, replicas: 0, commitTimeoutMs: 5_000 },
    ...settings,
  }
  const directory = join(own.file, "..")
  const [keyFile, socket] = [join(directory, "ledger.key"), join(directory, "ledger.sock")]
  const loaded = await loadLedgerKey(keyFile, undefined)
  if (!loaded.ok) throw new Error(loaded.error)
  await prepareLedgerFile(own.file)
  server.sql(`CREATE DATABASE ${database}`, "postgres")
  server.sql(moved(own.file, postgres, loaded.value), database)

  const { certificate, key } = certificates.clients[hostRole]
  const [ca, cert] = [readFileSync(certificates.ca), readFileSync(certificate)]
  const context = createSecureContext({ ca, cert, key: readFileSync(key) })
  const stop = new AbortController()
  const relay = keepServer(
    {
      server: { name: "db1", host: "127.0.0.1", port: server.port },
      secureContext: () => context,
      ledgerSocket: socket,
      limits: { ...relayLimits, longestPauseMs: 100 },
      onConnected: () => undefined,
      onLost: () => undefined,
    },
    stop.signal,
  )
  return {
    file: own.file,
    key: loaded.value,
    postgres,
    sql: (text) => server.sql(text, database),
    openStore: postgresStore({
      file: own.file,
      keyFile,
      place: { path: socket },
      postgres,
      reachMs,
    }),
    async remove() {
      stop.abort()
      await relay
      await own.remove()
    },
  }
}

/** What `countersign ledger move` prints of the ledger in `file`. */
export function moved(file: string, postgres: PostgresLedger, key: LedgerKey): string {
  const database = openDatabase(file)
  try {
    return [...moveSql(database, postgres, key)].join("")
  } finally {
    database.close()
  }
}
