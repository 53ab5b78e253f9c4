import { Fault } from "../../../std/fault.ts"
import { quoted } from "../../../std/visible.ts"
import { maxClockLeadMs } from "../../process/clock.ts"
import { isSignedBy, signWith } from "../audit/ledger-key.ts"
import { readRow, RowError } from "../records/read-row.ts"
import type { JournalRow } from "../records/row.ts"
import { mostInTurnMs } from "../signers/nonces.ts"
import { chainHash } from "../sqlite/journal.ts"
import { isOfMachine } from "../sqlite/sqlite-fault.ts"
import type { FollowedRows } from "../sqlite/worker-messages.ts"
import type { LedgerKey } from "../store/audit-queries.ts"
import type { AppendedRows, Head } from "../store/store.ts"

/** Entries that a host committed together, as PostgreSQL keeps them. */
export type Batch = AppendedRows & {
  readonly firstSeq: number
  readonly host: string
  /** By the host's ledger key. */
  readonly seal: Uint8Array
}

/** Signs what a batch is: PostgreSQL keeps batches, and can make none. */
export function sealBatch(batch: Omit<Batch, "seal">, ledger: string, key: LedgerKey): Batch {
  return { ...batch, seal: signWith(key, sealedText(batch, ledger)) }
}

/**
 * What is wrong with a batch that should come after `previous`, in a sentence without its full stop; `undefined` where
 * nothing is. `publicKey` is its host's, hex.
 */
export function flawIn(
  batch: Batch,
  { previous, ledger, publicKey }: { previous: Head; ledger: string; publicKey: string },
): string | undefined {
  const { firstSeq, head, rows } = batch
  if (firstSeq !== previous.seq + 1) return `entry ${previous.seq + 1} is missing`
  if (head.seq !== previous.seq + rows.length)
    return `entry ${firstSeq} and those after it aren't whole`
  const hash = rows.reduce<Uint8Array>(chainHash, previous.hash)
  if (Buffer.compare(hash, head.hash) !== 0)
    return `an entry from ${firstSeq} to ${head.seq} was changed`
  if (isSignedBy(publicKey, sealedText(batch, ledger), batch.seal)) return undefined
  return `entries ${firstSeq} to ${head.seq} aren't sealed by host ${batch.host}`
}

/** The rows are in the last one's hash. The first line keeps it apart from all else that such a key signs. */
function sealedText({ firstSeq, head, host }: Omit<Batch, "seal">, ledger: string): Uint8Array {
  const hash = Buffer.from(head.hash).toString("hex")
  const lines = ["countersign-batch 1", ledger, host, firstSeq, head.seq, hash]
  return Buffer.from(`${lines.join("\n")}\n`)
}

/** The public keys by which hosts seal, hex. */
export type Hosts = ReadonlyMap<string, string>

/** What a batch is read by. */
type Reading = {
  readonly previous: Head
  readonly ledger: string
  readonly hosts: Hosts
  /** This one. */
  readonly host: string
  /** The latest time or nonce that a host may have reached. */
  readonly latestMs: number
}

/** How far a host's clock may be ahead, and its nonces of that. */
export const mostAheadMs = maxClockLeadMs + mostInTurnMs

/**
 * What a batch adds, which `follow` takes. A host signs for what it wrote, not for its sense: others' rows are read by their
 * schema, and none may have a time or a nonce that is further ahead than a host's pace allows.
 *
 * @throws {Fault} `ledger_unusable` unless it comes after `previous`, is sealed by the host that it is of, and makes sense.
 */
export function followBatch(
  batch: Batch,
  reading: Reading,
  follow: (rows: FollowedRows) => void,
): void {
  const { previous, ledger, hosts, host, latestMs } = reading
  const { seq } = previous
  const publicKey = hosts.get(batch.host)
  if (publicKey === undefined) throw notFollowed(`host ${quoted(batch.host)} isn't known here`, seq)
  const flaw = flawIn(batch, { previous, ledger, publicKey })
  if (flaw !== undefined) throw notFollowed(flaw, seq)
  const read = batch.host === host ? ownRow : (text: string) => readPaced(text, latestMs)
  try {
    follow({ rows: batch.rows.map(read), head: batch.head })
  } catch (error) {
    if (isOfMachine(error)) throw error
    const entries = `entries ${batch.firstSeq} to ${batch.head.seq}, which host ${batch.host} sealed, can't be followed`
    throw notFollowed(`${entries}: ${quoted((error as Error).message)}`, seq)
  }
}

const ownRow = (text: string): JournalRow => JSON.parse(text) as JournalRow // it is sealed: ours

function readPaced(text: string, latestMs: number): JournalRow {
  const row = readRow(text)
  const latest = Math.max(...momentsIn(row))
  if (latest <= latestMs) return row
  throw new RowError(`${row.kind}: a time or a nonce is ${latest}, and may be ${latestMs} at most`)
}

/** Nonces are times too. What ends may end late. */
function momentsIn(row: JournalRow): readonly number[] {
  const { at_ms: atMs } = row
  if (row.kind === "request") return [atMs, row.counted_at ?? 0, row.nonce]
  if (row.kind === "outcome") return [atMs, row.counted_at ?? 0]
  if (row.kind !== "act") return [atMs]
  if (row.act === "price_set") return [atMs, row.as_of]
  if (row.act === "restore_accepted") return [atMs, ...row.signers.map(({ nonce }) => nonce)]
  return [atMs]
}

/** What is wrong with what comes after the entry `seq`, and how the hosts go on without it. `what` without its full stop. */
function notFollowed(what: string, seq: number): Fault {
  const next = `Are all hosts of one version, their clocks right, and all in ledger.fleet.hosts? If what came can't be believed, leave it out, from the host that has most: countersign ledger leave-out --after ${seq}`
  return new Fault("ledger_unusable", `${changed(what).message} ${next}`)
}

export function changed(what: string): Fault {
  const message = `The ledger in PostgreSQL isn't whole: ${what}. Nothing is signed until that is cleared up.`
  return new Fault("ledger_unusable", message)
}
