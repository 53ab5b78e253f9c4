import type { Duplex } from "node:stream"

import { Fault } from "../../../std/fault.ts"
import { momentIn, passedSince } from "../../../std/time/moment.ts"
import { passingCodes } from "../../../std/systemd.ts"
import type { PostgresLedger } from "../../config/ledger-config.ts"
import { readLedgerKey } from "../audit/ledger-key.ts"
import { openSqliteStore } from "../open-sqlite-store.ts"
import type { LedgerKey } from "../store/audit-queries.ts"
import type { OpenStore } from "../store/store.ts"
import { catchUp, isSame, type CaughtUp } from "./catch-up.ts"
import { FleetStore } from "./fleet-store.ts"
import { appendIsolated, isolatedRows, removeIsolated } from "./isolated-file.ts"
import { openIsolated } from "./isolated-store.ts"
import type { Hosts } from "./batch.ts"
import { openRelayDoor, type DoorPlace, type RelayDoor } from "./relay-door.ts"
import { openSession, type Session } from "./session.ts"
import {
  assertReplicated,
  lockLedger,
  readLedger,
  readServer,
  type Reached,
  type ServerLedger,
} from "./tables.ts"
import { TurnKeeper } from "./turn-keeper.ts"

type PostgresAsk = {
  /** This host's copy. */
  readonly file: string
  /** What it signs while it can't reach PostgreSQL. */
  readonly isolatedFile: string
  /** Seals what this host appends. */
  readonly keyFile: string
  readonly place: DoorPlace
  readonly postgres: PostgresLedger
  /** How long a start waits for a server that takes commits, and for its lock, which falls with whoever had it. */
  readonly reachMs: number
}

const leastVersion = 150_000
const onlyStandby = "Only a standby is reached; promote one, or start the primary."
/** A session whose commit waits for a standby keeps its lock there after we have given it up. */
const lockedElsewhere =
  "Another session has this ledger on PostgreSQL: stop the other Countersign, or, where there is none, start the standby that PostgreSQL waits for."

/**
 * Opens the ledger's copy on this host, brought up to what PostgreSQL has, and adds to it only what PostgreSQL has made
 * durable. Any doubt about that ends it: the start that follows asks PostgreSQL again.
 *
 * @throws {Fault} `ledger_unavailable`, `ledger_unusable`, `already_running`, `file_unsafe`.
 */
export function postgresStore(ask: PostgresAsk): OpenStore {
  return async (nowMs) => {
    const began = momentIn(0)
    const now = (): number => nowMs + Math.floor(passedSince(began))
    const key = await keyIn(ask.keyFile)
    const door = await openRelayDoor(ask.place)
    try {
      return await openBy(door, { ...ask, key, hosts: hostsOf(ask, key), now })
    } catch (error) {
      door.close()
      throw error
    }
  }
}

/** How soon a host that may be isolated is: a server that starts or is promoted is waited for. */
const isolatedAfterMs = 5_000

type OpenAsk = PostgresAsk & {
  readonly key: LedgerKey
  readonly hosts: Hosts
  /** The time, which goes on while the server is looked for. */
  now(): number
}

async function openBy(door: RelayDoor, ask: OpenAsk): ReturnType<OpenStore> {
  const { isolated } = ask.postgres
  if (isolated === undefined) return openReached(await reachServer(door, ask), door, ask)
  const reachMs = Math.min(ask.reachMs, isolatedAfterMs)
  const reached = await reachServer(door, { ...ask, reachMs }).catch(unlessAway)
  if (reached !== undefined) return openReached(reached, door, ask)
  const opened = await openIsolated(door, { ...ask, ...isolated })
  if (opened === undefined) return openReached(await reachServer(door, ask), door, ask)
  endOnceReached(opened, door, ask)
  return opened
}

function unlessAway(error: unknown): undefined {
  if (!(error instanceof Fault) || error.code !== "ledger_unavailable") throw error
}

function endOnceReached(
  { store, forMs }: NonNullable<Awaited<ReturnType<typeof openIsolated>>>,
  door: RelayDoor,
  ask: OpenAsk,
): void {
  const reached = reachServer(door, { ...ask, reachMs: forMs }).then(({ session }) => {
    session.end()
    return new Fault(
      "ledger_unavailable",
      "PostgreSQL is reached again; the ledger is opened anew.",
    )
  })
  void reached.catch((fault: unknown) => fault as Fault).then((why) => store.end(why)) // it throws no other
}

async function openReached(reached: Reached, door: RelayDoor, ask: OpenAsk): ReturnType<OpenStore> {
  try {
    const caught = await catchUp(reached, { ...ask.postgres, ...ask })
    const isolated = isolatedRows(ask)
    const opened = await openCopy(reached, { ...ask, ...caught })
    if (isolated === undefined) {
      void reached.session.ended.then(() => door.close())
      return opened
    }
    await appendIsolated(opened.store, isolated, ask.now()).finally(() => opened.store.close())
    removeIsolated(ask.isolatedFile)
  } catch (error) {
    reached.session.end()
    throw error
  }
  return openReached(await reachServer(door, ask), door, ask) // with a state that has them
}

async function openCopy(
  reached: Reached,
  { postgres, file, ...ask }: OpenAsk & CaughtUp,
): ReturnType<OpenStore> {
  const turns = new TurnKeeper(reached, { ...postgres, ...ask })
  const { store, state } = await openSqliteStore(file, ask.now(), turns)
  if (isSame(state.identity.head, ask.head)) {
    // Alone, this host has the turn for as long as its session lives.
    return { store: postgres.hosts === undefined ? store : new FleetStore(store, turns), state }
  }
  await store.close()
  throw unusable("Another program wrote into the ledger meanwhile; stop it, then start again.")
}

/** @throws {Fault} `ledger_unusable` where countersign.yaml has another key of this host's. */
function hostsOf({ postgres: { host, hosts }, keyFile }: PostgresAsk, key: LedgerKey): Hosts {
  if (hosts === undefined) return new Map([[host, key.publicKey]])
  if (hosts.get(host) === key.publicKey) return hosts
  throw unusable(
    `ledger.fleet.hosts has another key of this host, ${host}, than ${keyFile}; countersign ledger host-key prints that one's.`,
  )
}

async function keyIn(file: string): Promise<LedgerKey> {
  const key = await readLedgerKey(file)
  if (key !== undefined) return key
  throw new Fault("ledger_unusable", `${file} is gone; put it back from a back-up.`)
}

/** Takes the first way to a server that has the ledger and takes commits. @throws {Fault} why there is none in time. */
async function reachServer(door: RelayDoor, { postgres, reachMs }: PostgresAsk): Promise<Reached> {
  const endMs = performance.now() + reachMs
  let hindrance: Fault | undefined
  for (;;) {
    const leftMs = endMs - performance.now()
    const { stream } = await door.next(Math.max(1, leftMs)).catch((fault: unknown) => {
      throw hindrance ?? fault
    })
    const reached = await reachBy(stream, postgres)
    if (!(reached instanceof Fault)) return reached
    // A standby beside it says less than what hinders the primary.
    if (hindrance === undefined || reached.message !== onlyStandby) hindrance = reached
    // And again at once: the relay paces, and a way that finds nobody comes back late.
  }
}

/** What hinders it where that may pass: it starts just now, another is promoted. @throws {Fault} what doesn't. */
async function reachBy(stream: Duplex, postgres: PostgresLedger): Promise<Reached | Fault> {
  const { role, database, commitTimeoutMs: timeoutMs } = postgres
  const application = `countersign ${postgres.host}`
  let session: Session | undefined
  try {
    session = await openSession(stream, { role, database, application, timeoutMs })
    return { session, ledger: await ledgerOver(session, postgres) }
  } catch (error) {
    session?.end()
    if (error instanceof Fault && passingCodes.has(error.code)) return error
    throw error
  }
}

async function ledgerOver(
  session: Session,
  { database, replicas, hosts }: PostgresLedger,
): Promise<ServerLedger> {
  const server = await readServer(session)
  assertKeeps(server)
  const { hasTables } = server
  if (hasTables && hosts === undefined && !(await lockLedger(session))) {
    throw new Fault("already_running", lockedElsewhere)
  }
  const ledger = hasTables ? await readLedger(session, server) : undefined
  if (ledger === undefined) {
    throw unusable(
      `The database ${database} has no ledger yet; move this one there with countersign ledger move.`,
    )
  }
  assertReplicated(ledger.standbys, replicas)
  return ledger
}

function assertKeeps({ isStandby, version, isDurable }: Awaited<ReturnType<typeof readServer>>) {
  if (version < leastVersion) throw unusable("PostgreSQL is older than 15; install a newer one.")
  if (isStandby) throw new Fault("ledger_unavailable", onlyStandby)
  if (!isDurable) {
    throw unusable("PostgreSQL keeps nothing safe: set fsync and full_page_writes to on there.")
  }
}

function unusable(message: string): Fault {
  return new Fault("ledger_unusable", message)
}
