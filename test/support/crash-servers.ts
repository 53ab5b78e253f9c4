// What a ledger on PostgreSQL depends on in a crash run: two servers, and relays to them.

import { appendFileSync, readFileSync } from "node:fs"
import { rm } from "node:fs/promises"
import { createSecureContext } from "node:tls"

import { keepServer } from "../../src/relay/keep-server.ts"
import { relayLimits } from "../../src/relay/process/relay-limits.ts"
import { startNetwork, type Parting } from "./fleet-network.ts"
import {
  hostRole,
  postgresPlace,
  startPrimary,
  startStandby,
  type PostgresPlace,
  type PostgresServer,
} from "./postgres-server.ts"

/** A primary, and the standby that its commits wait for. */
export type CrashServers = {
  primary(): PostgresServer
  standby(): PostgresServer
  /** Puts the standby in the place of the primary that was killed, which never comes back, and makes a new standby. */
  promote(): Promise<void>
  /** Connects both servers as they are now with the vault that listens on `socket`. */
  startRelay(socket: string): CrashRelay
  /** The last entry of the ledger: its number, and its hash in hex. */
  head(): string
  close(): Promise<void>
}

/** A relay, and the network between it and the servers. */
export type CrashRelay = {
  part(how: Parting): Promise<void>
  mend(): Promise<void>
  stop(): Promise<void>
}

/** What any primary knows its standby by. */
const standbyName = "standby1"

/** A standby looks for a primary that was away every 5 s if left alone, and commits wait for it meanwhile. */
const settings = `
synchronous_standby_names = 'FIRST 1 (${standbyName})'
wal_retrieve_retry_interval = '100ms'
`

/** Makes and starts both. */
export async function startCrashServers(): Promise<CrashServers> {
  const place = postgresPlace()
  let primary = await startPrimary(place)
  let standby = await startStandby(place, primary, { name: standbyName })
  for (const server of [primary, standby]) {
    appendFileSync(`${server.data}/postgresql.conf`, settings)
    server.sql("SELECT pg_reload_conf()")
  }
  let made = 1
  return {
    primary: () => primary,
    standby: () => standby,
    async promote() {
      const lost = primary
      primary = standby
      await primary.ask("SELECT pg_promote()")
      made += 1
      standby = await startStandby(place, primary, {
        name: standbyName,
        directory: `standby${made}`,
      })
      await rm(lost.data, { recursive: true })
    },
    startRelay: (socket) => startRelay(place, [primary, standby], socket),
    head: () => primary.sql("SELECT seq, encode(hash, 'hex') FROM countersign.head"),
    async close() {
      await primary.stop()
      await standby.stop()
      place.remove()
    },
  }
}

function startRelay(
  { certificates }: PostgresPlace,
  servers: readonly PostgresServer[],
  socket: string,
): CrashRelay {
  const { certificate, key } = certificates.clients[hostRole]
  const [ca, cert] = [readFileSync(certificates.ca), readFileSync(certificate)]
  const context = createSecureContext({ ca, cert, key: readFileSync(key) })
  const stopping = new AbortController()
  const networks = Promise.all(servers.map(({ port }) => startNetwork(port)))
  const ways = networks.then((all) => all.map(({ port }) => keep(port)))
  const keep = (port: number): Promise<void> =>
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
    )
  return {
    async part(how) {
      for (const network of await networks) network.part(how)
    },
    async mend() {
      for (const network of await networks) network.mend()
    },
    async stop() {
      stopping.abort()
      await Promise.all(await ways)
      await Promise.all((await networks).map((network) => network.close()))
    },
  }
}
