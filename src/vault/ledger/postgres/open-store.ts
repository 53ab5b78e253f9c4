import { setTimeout as sleep } from "node:timers/promises"

import { Fault } from "../../../std/fault.ts"
import type { PostgresLedger } from "../../config/ledger-config.ts"
import { readLedgerKey } from "../audit/ledger-key.ts"
import { openSqliteStore } from "../open-sqlite-store.ts"
import type { LedgerKey } from "../store/audit-jobs.ts"
import type { OpenStore } from "../store/store.ts"
import { catchUp } from "./catch-up.ts"
import { openRelayDoor, type DoorPlace, type RelayDoor } from "./relay-door.ts"
import { replicaOn } from "./replica.ts"
import { openSession, type Session } from "./session.ts"
import { lockLedger, readLedger, readServer, type Reached } from "./tables.ts"

export type PostgresAsk = {
  /** This host's copy. */
  readonly file: string
  /** Seals what this host appends. */
  readonly keyFile: string
  readonly place: DoorPlace
  readonly postgres: PostgresLedger
}

/** How long a start waits for a server that takes commits, and for its lock, which falls with whoever had it. */
const reachMs = 20_000
const againMs = 200
const leastVersion = 150_000

/**
 * Opens the ledger's copy on this host, brought up to what PostgreSQL has, and adds to it only what PostgreSQL has made
 * durable. Any doubt about that ends it: the start that follows asks PostgreSQL again.
 *
 * @throws {Fault} `ledger_unavailable`, `ledger_unusable`, `already_running`, `file_unsafe`.
 */
export function postgresStore(ask: PostgresAsk): OpenStore {
  return async (nowMs) => {
    const key = await keyIn(ask.keyFile)
    const door = await openRelayDoor(ask.place)
    let session: Session | undefined
    try {
      const reached = await reachServer(door, ask.postgres)
      session = reached.session
      const head = await catchUp(reached, { file: ask.file, host: ask.postgres.host, key })
      const replica = replicaOn(reached, { ...ask.postgres, key, head })
      void session.ended.then(() => door.close())
      return await openSqliteStore(ask.file, nowMs, replica)
    } catch (error) {
      session?.end()
      door.close()
      throw error
    }
  }
}

async function keyIn(file: string): Promise<LedgerKey> {
  const key = await readLedgerKey(file)
  if (key !== undefined) return key
  throw new Fault("ledger_unusable", `${file} is gone; put it back from a back-up.`)
}

async function reachServer(door: RelayDoor, postgres: PostgresLedger): Promise<Reached> {
  const endMs = performance.now() + reachMs
  for (;;) {
    const { stream } = await door.next(Math.max(1, endMs - performance.now()))
    const { role, database, commitTimeoutMs: timeoutMs } = postgres
    const application = `countersign ${postgres.host}`
    const session = await openSession(stream, { role, database, application, timeoutMs })
    const reached = await ledgerOver(session, postgres).catch((fault: unknown) => {
      session.end()
      throw fault
    })
    if (!(reached instanceof Fault)) return reached
    session.end()
    if (performance.now() > endMs) throw reached
    await sleep(againMs)
  }
}

/** What hinders it where that may pass: another server is promoted, another Countersign ends. @throws {Fault} what doesn't. */
async function ledgerOver(
  session: Session,
  { database }: PostgresLedger,
): Promise<Reached | Fault> {
  const { isStandby, version } = await readServer(session)
  if (version < leastVersion) {
    throw new Fault("ledger_unusable", "PostgreSQL is older than 15; install a newer one.")
  }
  if (isStandby) {
    const message = "Only a standby is reached; promote one, or start the primary."
    return new Fault("ledger_unavailable", message)
  }
  if (!(await lockLedger(session))) {
    const message = "Another Countersign has this ledger on PostgreSQL; stop that one first."
    return new Fault("already_running", message)
  }
  const ledger = await readLedger(session)
  if (ledger !== undefined) return { session, ledger }
  throw new Fault(
    "ledger_unusable",
    `The database ${database} has no ledger yet; move this one there with countersign ledger move.`,
  )
}
