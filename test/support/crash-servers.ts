// What a ledger on PostgreSQL depends on in a crash run: two servers, and relays to them.

import { appendFileSync, readFileSync } from "node:fs"
import { rm } from "node:fs/promises"
import { createSecureContext } from "node:tls"

import { keepServer, retrySignal } from "../../src/relay/keep-server.ts"
import { relayLimits } from "../../src/relay/relay-limits.ts"
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
  /** As `promote`, where another standby is ready to be that of the new primary. */
  takeOver(): Promise<void>
  /** As `promote`, while the primary runs on, with its other standby if it has one. Returns it. */
  split(): Promise<PostgresServer>
  /** Connects both servers as they are now, or these, with the vault that listens on `socket`. */
  startRelay(socket: string, servers?: readonly PostgresServer[]): CrashRelay
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

/** What any primary knows its standby by, and one that it has besides. */
const standbyNames = ["standby1", "standby2"] as const
const [name, otherName] = standbyNames

/** What commits wait for: the one standby, any of two, or the one, and another once that is promoted. */
export type WaitsFor = "the standby" | "any of two" | "the next"

/** What the primary waits for, and a standby that is promoted. */
const standbySettings: Readonly<Record<WaitsFor, readonly [string, string]>> = {
  "the standby": [`FIRST 1 (${name})`, `FIRST 1 (${name})`],
  "any of two": [`ANY 1 (${standbyNames.join(", ")})`, `ANY 1 (${standbyNames.join(", ")})`],
  "the next": [`FIRST 1 (${name})`, `FIRST 1 (${otherName})`],
}

/** A standby looks for a primary that was away every 5 s if left alone, and commits wait for it meanwhile. */
function settingsOf(names: string): string {
  return `
synchronous_standby_names = '${names}'
wal_retrieve_retry_interval = '100ms'
`
}

/** Has a standby follow whichever of these is there, the first before the second. */
function follow(standby: PostgresServer, servers: readonly PostgresServer[]): void {
  const list = (of: (server: PostgresServer) => unknown): string => servers.map(of).join()
  const hosts = `host=${list(({ data }) => data)} port=${list(({ port }) => port)}`
  standby.sql(
    `ALTER SYSTEM SET primary_conninfo = '${hosts} user=admin application_name=${otherName}'`,
  )
}

/** Makes and starts them. */
export async function startCrashServers(waitsFor: WaitsFor = "the standby"): Promise<CrashServers> {
  const place = postgresPlace()
  let primary = await startPrimary(place)
  let standby = await startStandby(place, primary, { name })
  const others: PostgresServer[] = []
  if (waitsFor !== "the standby") {
    const other = await startStandby(place, primary, { name: otherName })
    if (waitsFor === "the next") follow(other, [primary, standby])
    others.push(other)
  }
  const [first, then] = standbySettings[waitsFor]
  for (const server of [primary, standby, ...others]) {
    const names = server === primary ? first : then
    appendFileSync(`${server.data}/postgresql.conf`, settingsOf(names))
    server.sql("SELECT pg_reload_conf()")
  }
  let made = standbyNames.length
  const promote = async (): Promise<PostgresServer> => {
    const before = primary
    primary = standby
    await primary.ask("SELECT pg_promote()")
    made += 1
    standby = await startStandby(place, primary, { name, directory: `standby${made}` })
    return before
  }
  return {
    primary: () => primary,
    standby: () => standby,
    async promote() {
      const { data } = await promote()
      await rm(data, { recursive: true })
    },
    async takeOver() {
      const [next = standby] = others
      primary = standby
      standby = next
      await primary.ask("SELECT pg_promote()")
    },
    async split() {
      const before = await promote()
      others.unshift(before)
      return before
    },
    startRelay: (socket, servers = [primary, standby]) => startRelay(place, servers, socket),
    head: () => primary.sql("SELECT seq, encode(hash, 'hex') FROM countersign.head"),
    async close() {
      for (const server of [...others, primary, standby]) await server.stop()
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
  const retry = retrySignal()
  const networks = Promise.all(servers.map(({ port }) => startNetwork(port)))
  const ways = networks.then((all) => all.map(({ port }) => keep(port)))
  const keep = (port: number): Promise<void> =>
    keepServer(
      {
        server: { name: `db${port}`, host: "127.0.0.1", port },
        secureContext: () => context,
        ledgerSocket: socket,
        limits: relayLimits,
        retry,
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
