import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { TestContext } from "node:test"
import { fileURLToPath } from "node:url"

import type { PostgresLedger } from "../../src/vault/config/ledger-config.ts"
import { loadLedgerKey } from "../../src/vault/ledger/audit/ledger-key.ts"
import { maxSkewMs } from "../../src/vault/ledger/postgres/turn-keeper.ts"
import type { LedgerKey } from "../../src/vault/ledger/store/audit-queries.ts"
import { startCrashServers, type CrashServers, type WaitsFor } from "./crash-servers.ts"
import { crashAtUrl, makeCrashSite, type CrashSite } from "./crash-site.ts"
import { superviseHost, type FleetHost } from "./fleet-host.ts"
import { startGateProcess, type GateProcess } from "./gate-process.ts"
import { moved } from "./postgres-ledger.ts"
import { hostRole } from "./postgres-server.ts"

/** Three hosts that share one ledger on PostgreSQL. */
export type Fleet = {
  readonly hosts: readonly FleetHost[]
  readonly servers: CrashServers
  /** By which each seals, hex. */
  readonly publicKeys: ReadonlyMap<string, string>
}

const names = ["a", "b", "c"] as const

/** How far a host's clock may be from PostgreSQL's, but for what asking takes. */
export const maxClockMs = maxSkewMs - 20

/** Two hosts' clocks as far apart as they may be. */
const farthestMs = [maxClockMs, -maxClockMs] as const

/** What was made of a fleet before its hosts run. */
export type FleetSite = {
  readonly sites: readonly CrashSite[]
  readonly servers: CrashServers
  readonly publicKeys: Fleet["publicKeys"]
  /** The ledger as it was moved. */
  readonly firstLedger: string
  remove(): Promise<void>
}

export type FleetAsk = {
  /** How many symbols have a cap. */
  readonly symbols: number
  readonly waitsFor?: WaitsFor
  /** Which of the venue's rate budgets are kept; by default those of addresses. */
  readonly budgets?: string
  /** Whether a host that can't reach PostgreSQL signs cancels. */
  readonly isolates?: true
}

/** Makes one installation, copies it for each other host, and moves their ledger. */
export async function makeFleetSite(ask: FleetAsk): Promise<FleetSite> {
  const { symbols, waitsFor, budgets, isolates } = ask
  const servers = await startCrashServers(waitsFor)
  const first = await makeCrashSite(symbols)
  ageClock(first.ledgerFile)
  const sites = [first]
  while (sites.length < names.length) sites.push(await first.copy())
  const keys = await Promise.all(sites.map(keyOf))
  const slotOf = (index: number): string => (isolates ? `, slot: ${index}` : "")
  const hosts = keys.map(
    ({ publicKey }, index) => `${names[index]}: {key: ${publicKey}${slotOf(index)}}`,
  )
  const cancels = isolates ? "isolated_cancels: {for: 5m}, " : ""
  const fleet = `${cancels}fleet: {hosts: {${hosts.join(", ")}}}`
  for (const [index, site] of sites.entries()) {
    const ledger = `{engine: postgres, host: ${names[index]}, ${fleet}}`
    await site.setLedger(`ledger: ${ledger}\narchive: off\n`, budgets ?? "budgets: {ip: off}\n")
  }
  const firstLedger = `${first.dir}.first-ledger`
  copyFileSync(first.ledgerFile, firstLedger)
  const [key] = keys
  if (key === undefined) throw new Error("a fleet has a host")
  const postgres = { host: names[0], role: hostRole } as PostgresLedger // what the move asks for
  servers.primary().sql(moved(first.ledgerFile, postgres, key))
  const publicKeys = new Map(keys.map(({ publicKey }, index) => [names[index] ?? "", publicKey]))
  return {
    ...{ sites, servers, publicKeys, firstLedger },
    async remove() {
      await Promise.all(sites.map((site) => site.remove()))
      await servers.close()
    },
  }
}

/** A start goes on from the last clock that the ledger has, and would take a host's own for one that was set back. */
function ageClock(ledgerFile: string): void {
  const database = new DatabaseSync(ledgerFile)
  database.exec("UPDATE clock SET wall_ms = wall_ms - 5000")
  database.close()
}

async function keyOf({ dir }: CrashSite): Promise<LedgerKey> {
  const key = await loadLedgerKey(join(dir, "ledger.key"), undefined)
  if (key.ok) return key.value
  throw new Error(key.error)
}

/** Starts gate, relay and vault of each host. The gates run until the test ends. */
export async function startFleet(
  t: TestContext,
  { sites, servers, publicKeys }: FleetSite,
  venueUrl: string,
): Promise<Fleet> {
  const hosts = await Promise.all(
    sites.map(async (site, index) => {
      const gate = await startGate(t, site, venueUrl)
      const backMs = farthestMs[index] ?? 0
      return superviseHost({ name: names[index] ?? "", site, gate, servers, backMs })
    }),
  )
  return { hosts, servers, publicKeys }
}

/** The real gate, which can be told to kill the vault once it has sent something. */
export async function startGate(
  t: TestContext,
  { botSocket }: Pick<CrashSite, "botSocket">,
  venueUrl: string,
): Promise<GateProcess & { readonly url: string }> {
  const args = ["--port", "0", "--bot-socket", botSocket, "--upstream", venueUrl]
  const preload = [`--import=${crashAtUrl}`, `--allow-fs-read=${fileURLToPath(crashAtUrl)}`]
  const gate = await startGateProcess(t, args, { NODE_OPTIONS: preload.join(" ") })
  if (gate.message.type !== "ready") throw new Error(`the gate couldn't start: ${gate.stderr()}`)
  return { ...gate, url: `http://127.0.0.1:${gate.message.port ?? 0}` }
}
