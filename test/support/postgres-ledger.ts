import { copyFileSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { createSecureContext } from "node:tls"

import { keepServer, retrySignal } from "../../src/relay/keep-server.ts"
import { relayLimits } from "../../src/relay/relay-limits.ts"
import { pathsOf } from "../../src/vault/config/installation.ts"
import type { PostgresLedger } from "../../src/vault/config/ledger-config.ts"
import { loadLedgerKey } from "../../src/vault/ledger/audit/ledger-key.ts"
import { moveSql } from "../../src/commands/ledger-sql.ts"
import { postgresStore } from "../../src/vault/ledger/postgres/open-store.ts"
import { openDatabase, prepareLedgerFile } from "../../src/vault/ledger/sqlite/database.ts"
import type { LedgerKey } from "../../src/vault/ledger/store/audit-queries.ts"
import type { FileEngine, FilePlace } from "./ledger-engines.ts"
import { ledgerPlace } from "./ledger-ask.ts"
import type { VaultElsewhere } from "./open-test-vault.ts"
import { hostRole, type PostgresServer } from "./postgres-server.ts"
import type { Primary } from "./postgres-suite.ts"

/** A ledger in a database of its own, the copy of host `a`, and a relay between the two. */
export type PostgresLedgerPlace = FilePlace & {
  readonly key: LedgerKey
  /** What countersign.yaml says of it. */
  readonly postgres: PostgresLedger
  /** SQL by the server's admin. */
  sql(text: string): string
  /** As `sql`, while ledgers of this process go on: one that stands still for a second loses its turn. */
  ask(text: string): Promise<string>
  /** What the host signs while it can't reach the server. */
  readonly isolatedFile: string
  /** Takes its relay away. */
  part(): Promise<void>
  /** Gives it another one. */
  mend(): void
}

/** Long enough for a busy machine; a standby that is away is waited for. */
const reachMs = 10_000

let made = 0

/** Moves a new ledger to a server. */
export async function postgresLedgerPlace(
  primary: Primary,
  settings: Partial<PostgresLedger> = {},
): Promise<PostgresLedgerPlace> {
  const postgres = { ...usual(), ...settings }
  const own = await ownPlace()
  await prepareLedgerFile(own.file)
  moveTo(primary.server, own, postgres)
  return connected(own, postgres, primary)
}

/** Moves a new ledger to a server, of which each of these hosts has a copy. */
export async function postgresFleet(
  primary: Primary,
  names: readonly string[],
  settings: Partial<Settings> = {},
): Promise<readonly PostgresLedgerPlace[]> {
  const own = await Promise.all(names.map(ownPlace))
  const hosts = new Map(own.map(({ key }, index) => [names[index] ?? "", key.publicKey]))
  const postgres = { ...usual(), hosts }
  const [first] = own
  if (first === undefined) throw new Error("a fleet has a host")
  await prepareLedgerFile(first.file)
  for (const { file } of own) if (file !== first.file) copyFileSync(first.file, file)
  moveTo(primary.server, first, { ...postgres, host: names[0] ?? "" })
  return own.map((each, index) => {
    const host = names[index] ?? ""
    return connected(each, { ...postgres, host, ...settings }, primary)
  })
}

/** What countersign.yaml says, and how long a start waits for the server. */
type Settings = PostgresLedger & { readonly reachMs: number }

function usual(): Settings {
  const database = `ledger_${(made += 1)}`
  const alone = { hosts: undefined, isolated: undefined }
  const named = { host: "a", role: hostRole, database }
  return { ...named, ...alone, replicas: 0, commitTimeoutMs: 5_000, reachMs }
}

type OwnPlace = Awaited<ReturnType<typeof ownPlace>>

/** Where a host's copy and key lie. */
async function ownPlace() {
  const place = await ledgerPlace()
  const directory = join(place.file, "..")
  const [keyFile, socket] = [join(directory, "ledger.key"), join(directory, "ledger.sock")]
  const isolatedFile = join(directory, "isolated.db")
  return { ...place, isolatedFile, keyFile, socket, key: await keyIn(keyFile) }
}

/** Makes it where there is none. */
async function keyIn(file: string): Promise<LedgerKey> {
  const loaded = await loadLedgerKey(file, undefined)
  if (!loaded.ok) throw new Error(loaded.error)
  return loaded.value
}

function moveTo(
  server: PostgresServer,
  { file, key }: Pick<OwnPlace, "file" | "key">,
  postgres: PostgresLedger,
): void {
  server.sql(`CREATE DATABASE ${postgres.database}`, "postgres")
  server.sql(moved(file, postgres, key), postgres.database)
}

/** With a relay between the two. */
function connected(own: OwnPlace, settings: Settings, at: Primary): PostgresLedgerPlace {
  const { reachMs: waitsMs, ...postgres } = settings
  const { file, isolatedFile, keyFile, socket } = own
  let relay = startRelay(socket, at)
  const ask = { file, isolatedFile, keyFile, place: { path: socket }, postgres, reachMs: waitsMs }
  return {
    ...{ file, isolatedFile, postgres, key: own.key },
    sql: (text) => at.server.sql(text, postgres.database),
    ask: (text) => at.server.ask(text, postgres.database),
    openStore: postgresStore(ask),
    part: () => relay.stop(),
    mend: () => void (relay = startRelay(socket, at)),
    async remove() {
      await relay.stop()
      await own.remove()
    },
  }
}

/** Connects the server with whoever listens on `socket`. */
function startRelay(socket: string, { place: { certificates }, server }: Primary) {
  const { certificate, key } = certificates.clients[hostRole]
  const [ca, cert] = [readFileSync(certificates.ca), readFileSync(certificate)]
  const context = createSecureContext({ ca, cert, key: readFileSync(key) })
  const stopping = new AbortController()
  const relay = keepServer(
    {
      server: { name: "db1", host: "127.0.0.1", port: server.port },
      secureContext: () => context,
      ledgerSocket: socket,
      limits: { ...relayLimits, longestPauseMs: 100 },
      retry: retrySignal(),
      onConnected: () => undefined,
      onLost: () => undefined,
    },
    stopping.signal,
  )
  return {
    async stop() {
      stopping.abort()
      await relay
    },
  }
}

/** One host with its ledger on a server, which is made by the time that a ledger is asked for. */
export function onPostgres(at: () => Primary): FileEngine {
  return {
    name: "PostgreSQL, with a copy in SQLite",
    share: 1 / 5,
    place: () => postgresLedgerPlace(at()),
    elsewhere: () => vaultOnPostgres(at),
  }
}

function vaultOnPostgres(at: () => Primary): VaultElsewhere {
  const postgres = usual()
  const { host, database } = postgres
  let relay: ReturnType<typeof startRelay> | undefined
  return {
    settings: `ledger: {engine: postgres, host: ${host}, database: ${database}, replicas: 0, unreplicated: accepted, commit_timeout: 5s, min_free: 0}\n`,
    async move(installation) {
      const { ledgerFile, ledgerKeyFile, ledgerSocket } = pathsOf(installation)
      await prepareLedgerFile(ledgerFile)
      const key = await keyIn(ledgerKeyFile)
      moveTo(at().server, { file: ledgerFile, key }, postgres)
      relay = startRelay(ledgerSocket, at())
    },
    close: async () => relay?.stop(),
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
