import { appendFileSync, readFileSync, rmSync } from "node:fs"
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

/**
 * What fails of what a ledger on PostgreSQL depends on besides the vault. Each ends the vault that is at work. After a
 * failover the standby is the primary, and has a new standby; after the others all is as it was.
 */
export const failures = ["primary", "standby", "relay", "failover"] as const
export type Failure = (typeof failures)[number]

/** A primary, the standby that its commits wait for, and a relay, for the one host of a crash site. */
export type CrashPostgres = LedgerElsewhere & {
  /** Ends what is to fail at once, as a power loss does. */
  fail(what: Failure): Promise<void>
  mend(what: Failure): Promise<void>
  /** The last entry there: its number, and its hash in hex. */
  head(): string
  close(): Promise<void>
}

/** What any primary knows its standby by. */
const standbyName = "standby1"

/** Long enough for a busy machine: a vault that ends by it ended unasked. */
const commitTimeout = "8s"

/** Starts the servers; the relay starts with the site's move. */
export async function startCrashPostgres(): Promise<CrashPostgres> {
  const place = postgresPlace()
  const servers = await startServers(place)
  let socket = ""
  let relay: Relay | undefined
  const dial = (): void => {
    relay = startRelay(place, [servers.primary, servers.standby], socket)
  }
  return {
    settings: `ledger: {engine: postgres, host: a, commit_timeout: ${commitTimeout}}\n`,
    async move({ dir, ledgerFile }) {
      const key = await readLedgerKey(join(dir, "ledger.key"))
      if (key === undefined) throw new Error("the site has no ledger.key")
      const postgres = { host: "a", role: hostRole } as PostgresLedger // what the move asks for
      servers.primary.sql(moved(ledgerFile, postgres, key))
      socket = join(dir, "ledger.sock")
      dial()
    },
    async fail(what) {
      if (what === "relay") await relay?.stop()
      else await servers[what === "standby" ? "standby" : "primary"].kill()
    },
    async mend(what) {
      if (what === "primary" || what === "standby") return servers[what].start()
      await relay?.stop()
      if (what === "failover") await promote(servers, place)
      dial()
    },
    head: () => servers.primary.sql("SELECT seq, encode(hash, 'hex') FROM countersign.head"),
    async close() {
      await relay?.stop()
      await servers.primary.stop()
      await servers.standby.stop()
      place.remove()
    },
  }
}

type Servers = { primary: PostgresServer; standby: PostgresServer; made: number }

async function startServers(place: PostgresPlace): Promise<Servers> {
  const primary = await startPrimary(place)
  const standby = await startStandby(place, primary, { name: standbyName })
  for (const server of [primary, standby]) {
    const demanded = `synchronous_standby_names = 'FIRST 1 (${standbyName})'\n`
    appendFileSync(join(server.data, "postgresql.conf"), demanded)
    server.sql("SELECT pg_reload_conf()")
  }
  return { primary, standby, made: 1 }
}

/** Puts the standby in the place of the primary that was killed, which never comes back. */
async function promote(servers: Servers, place: PostgresPlace): Promise<void> {
  const { standby: primary, primary: lost } = servers
  primary.sql("SELECT pg_promote()")
  servers.made += 1
  const directory = `standby${servers.made}`
  const standby = await startStandby(place, primary, { name: standbyName, directory })
  rmSync(lost.data, { recursive: true })
  Object.assign(servers, { primary, standby })
}

type Relay = { stop(): Promise<void> }

function startRelay(
  { certificates }: PostgresPlace,
  servers: readonly PostgresServer[],
  socket: string,
): Relay {
  const { certificate, key } = certificates.clients[hostRole]
  const [ca, cert] = [readFileSync(certificates.ca), readFileSync(certificate)]
  const context = createSecureContext({ ca, cert, key: readFileSync(key) })
  const stopping = new AbortController()
  const ways = servers.map(({ port }) =>
    keepServer(
      {
        server: { name: `db${port}`, host: "127.0.0.1", port },
        secureContext: () => context,
        ledgerSocket: socket,
        limits: { ...relayLimits, longestPauseMs: 100 },
        onConnected: () => undefined,
        onLost: () => undefined,
      },
      stopping.signal,
    ),
  )
  return {
    async stop() {
      stopping.abort()
      await Promise.all(ways)
    },
  }
}
