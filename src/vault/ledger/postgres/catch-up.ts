import type { DatabaseSync } from "node:sqlite"

import { Fault } from "../../../std/fault.ts"
import { openSteadyTime, systemClock } from "../../process/clock.ts"
import { openDatabase } from "../sqlite/database.ts"
import { openJournal, readIdentity } from "../sqlite/journal.ts"
import { followRows, openProjections } from "../sqlite/projections.ts"
import type { FollowedRows } from "../sqlite/worker-messages.ts"
import type { Head } from "../store/store.ts"
import { changed, followBatch, mostAheadMs, type Hosts } from "./batch.ts"
import { batchesAfter, hashAt, type Reached, type ServerLedger } from "./tables.ts"

/** What a host has once it has caught up. */
export type CaughtUp = {
  readonly head: Head
  /** The latest time or nonce that others' rows may have. */
  latestMs(): number
}

/**
 * Brings this host's copy up to the server's head. Each batch must go on from the copy's last entry, be sealed by the
 * host that it is of, and make sense.
 *
 * @throws {Fault} `ledger_unusable` where the two have gone different ways, or something was changed.
 */
export async function catchUp(
  { session, ledger }: Reached,
  {
    file,
    host,
    hosts,
    isolated,
  }: {
    readonly file: string
    readonly host: string
    readonly hosts: Hosts
    /** For how long a host may be alone, whose clock nobody compares meanwhile. */
    readonly isolated?: { readonly forMs: number } | undefined
  },
): Promise<CaughtUp> {
  const copy = openReplay(file)
  // All that is here was believed once: clocks were wrong then, and are set back.
  const time = openSteadyTime(systemClock, Math.max(copy.newestMs(), ledger.nowMs))
  const latestMs = (): number => time.at(Date.now()) + mostAheadMs + (isolated?.forMs ?? 0)
  try {
    if (copy.head().seq === 0 && ledger.head.seq > 0) throw empty()
    assertNotBehind(ledger, copy)
    await assertSameWay(copy.head(), session)
    while (copy.head().seq < ledger.head.seq) {
      const page = await batchesAfter(session, copy.head().seq)
      // What others have added since needn't be durable.
      const durable = page.filter(({ head }) => head.seq <= ledger.head.seq)
      for (const batch of durable) {
        const reading = { previous: copy.head(), ledger: ledger.name, host, hosts }
        followBatch(batch, { ...reading, latestMs: latestMs() }, (rows) => {
          copy.add(rows)
        })
      }
      if (durable.length === 0) break
    }
    const head = copy.head()
    assertHead(head, ledger.head)
    return { head, latestMs }
  } finally {
    copy.close()
  }
}

/** @throws {Fault} `ledger_unusable` where what came isn't all that there is said to be. */
export function assertHead(came: Head, said: Head): void {
  if (isSame(came, said)) return
  throw changed(`its last entry is said to be ${said.seq}, and is ${came.seq}`)
}

export function isSame(one: Head, other: Head): boolean {
  return one.seq === other.seq && Buffer.compare(one.hash, other.hash) === 0
}

/** It couldn't tell an old ledger from the one that it had. */
function empty(): Fault {
  return new Fault(
    "ledger_unusable",
    "This host's copy of the ledger is empty, and PostgreSQL's isn't: put a back-up of ledger.db in place, which is then brought up to it.",
  )
}

/** What this host has, PostgreSQL made durable before. @throws {Fault} `ledger_unusable` where it has lost it. */
function assertNotBehind(
  { name, head: there }: ServerLedger,
  copy: ReturnType<typeof openReplay>,
): void {
  const { seq } = copy.head()
  if (there.seq >= seq) return
  // It keeps its name there when a restore is accepted.
  const named = name === copy.name ? "" : ` --ledger ${name}`
  throw new Fault(
    "ledger_unusable",
    `PostgreSQL ends at entry ${there.seq}, and this host at ${seq}: it was restored to an earlier time, or is another one. Start the right one; or put back what it lost, from the host that has most: countersign ledger put-back --after ${there.seq}${named}`,
  )
}

/** @throws {Fault} `ledger_unusable` where the two have gone different ways. */
async function assertSameWay({ seq, hash }: Head, session: Reached["session"]): Promise<void> {
  if (seq === 0) return
  const there = await hashAt(session, seq)
  if (there !== undefined && Buffer.compare(there, hash) === 0) return
  throw new Fault(
    "ledger_unusable",
    `PostgreSQL and this host have different entries ${seq}: one of them is another ledger, or was changed; put the right one in place.`,
  )
}

/**
 * Opens a ledger's file, under its exclusive lock, to add entries that are durable elsewhere. It must be closed.
 *
 * @throws {Fault} as `openDatabase` does.
 */
export function openReplay(file: string) {
  const database = openDatabase(file)
  database.exec("PRAGMA synchronous = NORMAL") // what a power loss takes is replayed again
  const journal = openJournal(database)
  const tables = openProjections(database, journal)
  inTransaction(database, tables.catchUp)
  return {
    /** What tells it from other ledgers, since a restore was accepted last. */
    name: readIdentity(database).ledger,
    head: (): Head => journal.head(),
    /** Adds entries that were checked, as they are chained. @throws {Fault} `ledger_unusable`. */
    add(batch: FollowedRows): void {
      inTransaction(database, () => {
        followRows(batch, { journal, tables })
        tables.catchUp()
      })
    },
    /** The last nonce, which is no earlier than the clock was; 0 where there is none. */
    newestMs: (): number =>
      Number(database.prepare("SELECT max(last_nonce) AS ms FROM signers").get()?.["ms"]), // null is 0
    close: (): void => database.close(),
  }
}

function inTransaction(database: DatabaseSync, write: () => void): void {
  database.exec("BEGIN IMMEDIATE")
  write()
  database.exec("COMMIT")
}
