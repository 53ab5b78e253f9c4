import { copyFileSync, readFileSync } from "node:fs"
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
  place: PostgresPlace,
  server: PostgresServer,
  settings: Partial<PostgresLedger> = {},
): Promise<PostgresLedgerPlace> {
  const postgres = { ...usual(), ...settings }
  const own = await ownPlace()
  await prepareLedgerFile(own.file)
  moveTo(server, own, postgres)
  return connected(own, postgres, { place, server })
}

/** Moves a new ledger to `server`, of which each of these hosts has a copy. */
export async function postgresFleet(
  place: PostgresPlace,
  server: PostgresServer,
  names: readonly string[],
): Promise<readonly PostgresLedgerPlace[]> {
  const own = await Promise.all(names.map(ownPlace))
  const hosts = new Map(own.map(({ key }, index) => [names[index] ?? "", key.publicKey]))
  const postgres = { ...usual(), hosts }
  const [first] = own
  if (first === undefined) throw new Error("a fleet has a host")
  await prepareLedgerFile(first.file)
  for (const { file } of own) if (file !== first.file) copyFileSync(first.file, file)
  moveTo(server, first, { ...postgres, host: names[0] ?? "" })
  return own.map((each, index) =>
    connected(each, { ...postgres, host: names[index] ?? "" }, { place, server }),
  )
}

function usual(): PostgresLedger {
  const database = `ledger_${(made += 1)}`
  return { host: "a", role: hostRole, database, replicas: 0, commitTimeoutMs: 5_000 }
}

type OwnPlace = Awaited<ReturnType<typeof ownPlace>>

/** Where a host's copy and key lie. */
async function ownPlace() {
  const place = await ledgerPlace()
  const directory = join(place.file, "..")
  const [keyFile, socket] = [join(directory, "ledger.key"), join(directory, "ledger.sock")]
  const loaded = await loadLedgerKey(keyFile, undefined)
  if (!loaded.ok) throw new Error(loaded.error)
  return { ...place, keyFile, socket, key: loaded.value }
}

function moveTo(server: PostgresServer, { file, key }: OwnPlace, postgres: PostgresLedger): void {
  server.sql(`CREATE DATABASE ${postgres.database}`, "postgres")
  server.sql(moved(file, postgres, key), postgres.database)
}

/** With a relay between the two. */
function connected(
  own: OwnPlace,
  postgres: PostgresLedger,
  { place: { certificates }, server }: { place: PostgresPlace; server: PostgresServer },
): PostgresLedgerPlace {
  const { file, keyFile, socket } = own
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
    ...{ file, postgres, key: own.key },
    sql: (text) => server.sql(text, postgres.database),
    openStore: postgresStore({ file, keyFile, place: { path: socket }, postgres, reachMs }),
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
