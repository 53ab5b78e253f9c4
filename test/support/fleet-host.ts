import { copyFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

import type { Door } from "./crash-load.ts"
import type { CrashServers } from "./crash-servers.ts"
import type { CrashSite, CrashVault } from "./crash-site.ts"
import type { Parting } from "./fleet-network.ts"
import type { PostgresServer } from "./postgres-server.ts"
import type { GateProcess } from "./gate-process.ts"

/** One of the hosts that share a ledger. Its vault is started again whenever it ends, as a supervisor does. */
export type FleetHost = {
  readonly name: string
  readonly site: CrashSite
  readonly gate: GateProcess
  readonly door: Door
  /** The one that runs, or is being started. */
  vault(): CrashVault
  /** The vaults that are started from now on have their clock set back by so much. */
  setBack(ms: number): void
  /** Puts a back-up of the ledger in place before the next start. */
  restore(backup: string): void
  cutRelay(): Promise<void>
  /** Has it connect with the servers as they are now, or with these. */
  startRelay(servers?: readonly PostgresServer[]): void
  /** Parts its relay from the servers, and mends that. */
  part(how: Parting): Promise<void>
  mend(): Promise<void>
  /** How its vaults ended so far: the signal, or the exit code and why. */
  readonly ends: readonly string[]
  /** Stops it for good, and resolves with how its last vault ended. */
  end(signal?: NodeJS.Signals): Promise<string>
}

type Parts = Pick<FleetHost, "name" | "site"> & {
  /** How far its clock is set back. */
  readonly backMs: number
  readonly gate: GateProcess & { readonly url: string }
  readonly servers: CrashServers
}

/** One that couldn't start isn't tried again without a pause. */
const startPauseMs = 100

/** Starts its vault and its relay. */
export function superviseHost({ name, site, gate, servers, ...given }: Parts): FleetHost {
  const socket = join(site.dir, "ledger.sock")
  const ends: string[] = []
  let relay = servers.startRelay(socket)
  let { backMs } = given
  let restores: string | undefined
  let isOver = (): boolean => false
  let vault = site.startVault(backMs)

  async function supervise(): Promise<string> {
    const end = await endOf(vault)
    if (isOver()) return end
    ends.push(end)
    await sleep(startPauseMs)
    if (isOver()) return end
    if (restores !== undefined) putLedger(restores, site)
    restores = undefined
    vault = site.startVault(backMs)
    return supervise()
  }

  const supervised = supervise()
  return {
    ...{ name, site, gate, ends },
    door: { botSocket: site.botSocket, gateUrl: gate.url },
    vault: () => vault,
    restore: (backup) => (restores = backup),
    setBack: (ms) => (backMs = ms),
    cutRelay: () => relay.stop(),
    startRelay: (these) => (relay = servers.startRelay(socket, these)),
    part: (how) => relay.part(how),
    mend: () => relay.mend(),
    async end(signal = "SIGKILL") {
      isOver = () => true
      vault.kill("SIGCONT")
      vault.kill(signal)
      const end = await supervised
      await relay.stop()
      return end
    },
  }
}

/** What a failed run is looked into by. */
export async function stateOf(host: FleetHost): Promise<string> {
  const vault = host.vault()
  const state = await Promise.race([vault.started.catch(String), sleep(1, "starting")])
  return `${host.name}: ended by ${host.ends.slice(-10).join(" | ")}; then ${state}: ${vault.stderr()}`
}

function putLedger(backup: string, { ledgerFile }: CrashSite): void {
  for (const end of ["-wal", "-shm"]) rmSync(ledgerFile + end, { force: true })
  copyFileSync(backup, ledgerFile)
}

/** The signal, or the exit code with why. */
async function endOf(vault: CrashVault): Promise<string> {
  const end = await vault.ended
  if (typeof end === "string" || end === 0) return String(end)
  const hindrance = await vault.started.then(() => undefined, String)
  return `${end} ${hindrance ?? lastError(vault.stderr())}`
}

/** What the log has of why a vault ended. */
function lastError(stderr: string): string {
  const errors = stderr.split("\n").flatMap(errorIn)
  const why = errors.find(({ event }) => event === "ledger_broken") ?? errors.at(-1)
  if (why === undefined) return stderr
  return `${why.event} ${why.code ?? ""}: ${why.message ?? why.at ?? ""}`
}

type Logged = {
  readonly level: string
  readonly event: string
  readonly code?: string
  readonly message?: string
  readonly at?: string
}

function errorIn(line: string): readonly Logged[] {
  if (!line.startsWith("{")) return []
  const logged = JSON.parse(line) as Logged
  return logged.level === "error" ? [logged] : []
}
