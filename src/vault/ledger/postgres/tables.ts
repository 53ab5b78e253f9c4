import type { Head } from "../store/store.ts"
import type { Batch } from "./batch.ts"
import type { Session, Statement } from "./session.ts"

/** What a server says before anything is asked of the ledger. */
export type ServerState = {
  /** A standby takes nothing. */
  readonly isStandby: boolean
  /** As `server_version_num` has it: 150004 for 15.4. */
  readonly version: number
}

export async function readServer(session: Session): Promise<ServerState> {
  const [[isStandby, version] = []] = await session.run(askServer)
  return { isStandby: isStandby !== "f", version: Number(version) }
}

/** Takes the lock that one session has at a time, and keeps it; `false` where another has it. */
export async function lockLedger(session: Session): Promise<boolean> {
  const [[isOurs] = []] = await session.run(askLock)
  return isOurs === "t"
}

/** The ledger in PostgreSQL: the name that it was moved there by, and its last entry. */
export type ServerLedger = { readonly name: string; readonly head: Head }

/** A session in which the ledger is locked for us, on a server that takes commits. */
export type Reached = { readonly session: Session; readonly ledger: ServerLedger }

/** `undefined` where none was moved there. */
export async function readLedger(session: Session): Promise<ServerLedger | undefined> {
  const [[name, seq, hash] = []] = await session.run(askHead)
  if (name == null) return undefined
  return { name, head: { seq: Number(seq), hash: bytes(hash ?? "") } }
}

const askServer: Statement = {
  text: "SELECT pg_is_in_recovery(), current_setting('server_version_num')",
  values: [],
}
const askLock: Statement = {
  text: "SELECT pg_try_advisory_lock(hashtextextended('countersign', 0))",
  values: [],
}
const askHead: Statement = { text: "SELECT ledger, seq, encode(hash, 'hex') FROM head", values: [] }

/**
 * Adds a batch after the entry `previous`, if that is still the last; else it adds nothing. Returns what the commit
 * waited for (`synchronous_standby_names`), `undefined` where nothing was added.
 */
export async function addBatch(
  session: Session,
  { firstSeq, head, host, rows, seal }: Batch,
  previous: Head,
): Promise<string | undefined> {
  const [[standbys] = []] = await session.run({
    text: appendText,
    values: [
      ...[String(previous.seq), hex(previous.hash), String(head.seq), hex(head.hash)],
      ...[String(firstSeq), host, rows.join("\n"), hex(seal)],
    ],
  })
  return standbys ?? undefined
}

/** Compares and appends in one statement, which is a transaction by itself. */
const appendText = `WITH moved AS (
    UPDATE head SET seq = $3::bigint, hash = decode($4, 'hex')
    WHERE seq = $1::bigint AND hash = decode($2, 'hex') RETURNING seq, hash
  )
  INSERT INTO batches (first_seq, last_seq, hash, host, rows, seal)
  SELECT $5::bigint, seq, hash, $6, $7, decode($8, 'hex') FROM moved
  RETURNING current_setting('synchronous_standby_names')`

/** The hash of the entry `seq`, where a batch ends with it. */
export async function hashAt(session: Session, seq: number): Promise<Uint8Array | undefined> {
  const text = "SELECT encode(hash, 'hex') FROM batches WHERE last_seq = $1::bigint"
  const [[hash] = []] = await session.run({ text, values: [String(seq)] })
  return hash == null ? undefined : bytes(hash)
}

const pageBatches = 200

/** The next batches after the entry `seq`, in their order; none at the end. */
export async function batchesAfter(session: Session, seq: number): Promise<readonly Batch[]> {
  const page = await session.run({
    text: `SELECT first_seq, last_seq, encode(hash, 'hex'), host, rows, encode(seal, 'hex')
      FROM batches WHERE last_seq > $1::bigint ORDER BY last_seq LIMIT ${pageBatches}`,
    values: [String(seq)],
  })
  return page.map(([first, last, hash, host, rows, seal]) => ({
    firstSeq: Number(first),
    head: { seq: Number(last), hash: bytes(hash ?? "") },
    host: host ?? "",
    rows: (rows ?? "").split("\n"),
    seal: bytes(seal ?? ""),
  }))
}

function bytes(text: string): Uint8Array {
  return Buffer.from(text, "hex")
}

function hex(value: Uint8Array): string {
  return Buffer.from(value).toString("hex")
}
