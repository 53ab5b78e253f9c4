import { Fault } from "../../../std/fault.ts"
import type { Head } from "../store/store.ts"
import { flawIn, type Batch } from "./batch.ts"
import { openReplay, type Replay } from "./replay.ts"
import { batchesAfter, hashAt, type Reached, type ServerLedger } from "./tables.ts"

/**
 * Brings this host's copy up to the server's head, which it returns. Each batch must go on from the copy's last entry
 * and be sealed by the host that it is of.
 *
 * @throws {Fault} `ledger_unusable` where the two have gone different ways, or something was changed.
 */
export async function catchUp(
  { session, ledger }: Reached,
  { file, hosts }: { readonly file: string; readonly hosts: Hosts },
): Promise<Head> {
  const copy = openReplay(file)
  try {
    if (copy.head().seq === 0 && ledger.head.seq > 0) throw empty()
    assertNotBehind(ledger, copy)
    await assertSameWay(copy.head(), session)
    while (copy.head().seq < ledger.head.seq) {
      const page = await batchesAfter(session, copy.head().seq)
      // What others have added since needn't be durable.
      const durable = page.filter(({ head }) => head.seq <= ledger.head.seq)
      for (const batch of durable) {
        assertWhole(batch, { previous: copy.head(), ledger: ledger.name, hosts })
        copy.add(batch)
      }
      if (durable.length === 0) break
    }
    const head = copy.head()
    assertHead(head, ledger.head)
    return head
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
function assertNotBehind({ name, head: there }: ServerLedger, copy: Replay): void {
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

/** The public keys by which hosts seal, hex. */
export type Hosts = ReadonlyMap<string, string>

/** @throws {Fault} `ledger_unusable` unless the batch comes after `previous` and is sealed by the host that it is of. */
export function assertWhole(
  batch: Batch,
  { previous, ledger, hosts }: { previous: Head; ledger: string; hosts: Hosts },
): void {
  const publicKey = hosts.get(batch.host)
  if (publicKey === undefined) throw changed(`host ${batch.host} isn't known here`)
  const flaw = flawIn(batch, { previous, ledger, publicKey })
  if (flaw !== undefined) throw changed(flaw)
}

function changed(what: string): Fault {
  const message = `The ledger in PostgreSQL isn't whole: ${what}. Nothing is signed until that is cleared up.`
  return new Fault("ledger_unusable", message)
}
