import { appendFileSync, readFileSync } from "node:fs"
import { join } from "node:path"

import {
  postgresPlace,
  startPrimary,
  startStandby,
  type PostgresPlace,
  type PostgresServer,
} from "../../support/postgres-server.ts"
import { isInstalled } from "../../support/needs.ts"
import { processesBelow } from "../../support/process-tree.ts"

/** A primary and the standby that each of its commits waits for, both on the disk of the temporary directory. */
export type Servers = {
  readonly place: PostgresPlace
  readonly primary: PostgresServer
  /** The processes of both. */
  pids(): readonly number[]
  close(): Promise<void>
}

/** What is said where it isn't installed. */
export const postgresIsMissing: string | undefined = isInstalled("pg_ctlcluster")
  ? undefined
  : "A ledger on PostgreSQL isn't measured: apt-get install postgresql"

export async function startServers(): Promise<Servers> {
  const place = postgresPlace()
  const started: PostgresServer[] = []
  const kill = (): void => {
    for (const { data } of started) process.kill(postmasterOf(data), "SIGQUIT") // which ends its children
    place.remove()
  }
  process.once("exit", kill) // when a case failed before it could stop what it had started
  const primary = await startPrimary(place)
  started.push(primary)
  const standby = await startStandby(place, primary, { name: "standby1" })
  started.push(standby)
  const setting = "synchronous_standby_names = 'FIRST 1 (standby1)'\n"
  appendFileSync(join(primary.data, "postgresql.conf"), setting)
  primary.sql("SELECT pg_reload_conf()")
  return {
    place,
    primary,
    pids: () => started.flatMap(pidsOf),
    async close() {
      process.off("exit", kill)
      await primary.stop()
      await standby.stop()
      place.remove()
    },
  }
}

/** Without autovacuum's workers, which end soon. */
function pidsOf({ data }: PostgresServer): readonly number[] {
  const pid = postmasterOf(data)
  const lasting = processesBelow(pid).filter(
    ({ commandLine }) => !commandLine.includes("autovacuum worker"),
  )
  return [pid, ...lasting.map((each) => each.pid)]
}

function postmasterOf(data: string): number {
  return Number.parseInt(readFileSync(join(data, "postmaster.pid"), "utf8"))
}
