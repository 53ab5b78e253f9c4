import { appendFileSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { createSecureContext } from "node:tls"

import { keepServer } from "../../src/relay/keep-server.ts"
import { relayLimits } from "../../src/relay/process/relay-limits.ts"
import type { PostgresLedger } from "../../src/vault/config/ledger-config.ts"
import { readLedgerKey } from "../../src/vault/ledger/audit/ledger-key.ts"
import type { LedgerElsewhere } from "./crash-site.ts"
import { moved } from "./postgres-ledger.ts"
import {
  hostRole,
  postgresPlace,
  startPrimary,
  startStandby,
  type PostgresPlace,
  type PostgresServer,
} from "./postgres-server.ts"

/** What a ledger on PostgreSQL depends on besides the vault. Each ends the vault that is at work when it fails. */
export const parts = ["primary", "standby", "relay"] as const
export type Part = (typeof parts)[number]

/** A primary, the standby that its commits wait for, and a relay, for the one host of a crash site. */
export type CrashPostgres = LedgerElsewhere & {
  /** Ends a part at once, as a power loss does. */
  fail(part: Part): Promise<void>
  /** Starts it again. */
  mend(part: Part): Promise<void>
  /** The last entry there: its number, and its hash in hex. */
  head(): string
  close(): Promise<void>
}

const standbyName = "standby1"

/** Long enough for a busy machine: a vault that ends by it ended unasked. */
const commitTimeout = "8s"

/** Starts the servers; the relay starts with the site's move. */
export async function startCrashPostgres(): Promise<CrashPostgres> {
  const place = postgresPlace()
  const primary = await startPrimary(place)
  const standby = await startStandby(place, primary, standbyName)
  appendFileSync(
    join(primary.data, "postgresql.conf"),
    `synchronous_standby_names = 'FIRST 1 (${standbyName})'\n`,
  )
  primary.sql("SELECT pg_reload_conf()")
  let relay: ReturnType<typeof startRelay> | undefined
  let socket = ""
  const servers = { primary, standby }
  return {
    settings: `ledger: {engine: postgres, host: a, commit_timeout: ${commitTimeout}}\n`,
    async move({ dir, ledgerFile }) {
      const key = await readLedgerKey(join(dir, "ledger.key"))
      if (key === undefined) throw new Error("the site has no ledger.key")
      const postgres = { host: "a", role: hostRole } as PostgresLedger // what the move asks for
      primary.sql(moved(ledgerFile, postgres, key))
      socket = join(dir, "ledger.sock")
      relay = startRelay(place, primary, socket)
    },
    fail: (part) =>
      part === "relay" ? (relay?.stop() ?? Promise.resolve()) : servers[part].kill(),
    async mend(part) {
      if (part === "relay") relay = startRelay(place, primary, socket)
      else await servers[part].start()
    },
    head: () => primary.sql("SELECT seq, encode(hash, 'hex') FROM countersign.head"),
    async close() {
      await relay?.stop()
      await primary.stop()
      await standby.stop()
      place.remove()
    },
  }
}

function startRelay({ certificates }: PostgresPlace, { port }: PostgresServer, socket: string) {
  const { certificate, key } = certificates.clients[hostRole]
  const [ca, cert] = [readFileSync(certificates.ca), readFileSync(certificate)]
  const context = createSecureContext({ ca, cert, key: readFileSync(key) })
  const stopping = new AbortController()
  const relay = keepServer(
    {
      server: { name: "db1", host: "127.0.0.1", port },
      secureContext: () => context,
      ledgerSocket: socket,
      limits: { ...relayLimits, longestPauseMs: 100 },
      onConnected: () => undefined,
      onLost: () => undefined,
    },
    stopping.signal,
  )
  return {
    async stop(): Promise<void> {
      stopping.abort()
      await relay
    },
  }
}
