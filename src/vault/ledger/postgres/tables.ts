import { Fault } from "../../../std/fault.ts"
import type { Head } from "../store/store.ts"
import type { Batch } from "./batch.ts"
import type { Rows, Session, Statement } from "./session.ts"
import { maxBehind } from "./server-sql.ts"

/** What a server says before anything is asked of the ledger. */
export async function readServer(session: Session) {
  const [[[isStandby, version, isDurable, hasTables, hasAppend] = []] = []] =
    await session.run(askServer)
  return {
    /** A standby takes nothing. */
    isStandby: isStandby !== "f",
    /** As `server_version_num` has it: 150004 for 15.4. */
    version: whole(version),
    /** Whether what it says is on its disk is. */
    isDurable: isDurable === "t",
    /** Whether a ledger's tables are there. */
    hasTables: hasTables === "t",
    /** Whether hosts append by a function there. */
    hasAppend: hasAppend === "t",
  }
}

/** Takes the lock that one session has at a time, and keeps it; `false` where another has it. */
export async function lockLedger(session: Session): Promise<boolean> {
  const text = "SELECT pg_try_advisory_lock(hashtextextended('countersign', 0))"
  const [[[isOurs] = []] = []] = await session.run({ text, values: [] })
  return isOurs === "t"
}

/** The ledger in PostgreSQL. */
export type ServerLedger = {
  /** That it was moved there by. */
  readonly name: string
  readonly head: Head
  /** The server's clock. */
  readonly nowMs: number
  /** Whether hosts append by a function, which tables of an earlier version lack. */
  readonly hasAppend: boolean
  /** What the commit waited for by which it was read (`synchronous_standby_names`), before and after. */
  readonly standbys: readonly string[]
}

/** A session in which the ledger is locked for us, on a server that takes commits. */
export type Reached = { readonly session: Session; readonly ledger: ServerLedger }

/**
 * `undefined` where none was moved there. What it tells is durable, also on the standbys: an entry that is only visible
 * may be one that nobody waited for the end of, and a commit after it waits for it too.
 */
export async function readLedger(
  session: Session,
  { hasAppend }: Pick<ServerLedger, "hasAppend">,
): Promise<ServerLedger | undefined> {
  const [[touched] = [], after = []] = await session.run(touchHead, askStandbys)
  const [name, seq, hash, before, nowMs] = touched ?? []
  if (name == null) return undefined
  if (!/^[0-9a-f]{32}$/.test(name)) throw misread("a ledger's name")
  const standbys = [before ?? "", ...standbysIn(after)]
  const head = { seq: whole(seq), hash: bytes(hash ?? "") }
  return { name, head, nowMs: whole(nowMs), hasAppend, standbys }
}

const askServer: Statement = {
  text: `SELECT pg_is_in_recovery(), current_setting('server_version_num'),
    current_setting('fsync')::bool AND current_setting('full_page_writes')::bool,
    to_regclass('countersign.head') IS NOT NULL, to_regproc('countersign.append_batch') IS NOT NULL`,
  values: [],
}
const touchHead: Statement = {
  text: `UPDATE head SET holder = holder RETURNING ledger, seq, encode(hash, 'hex'),
    current_setting('synchronous_standby_names'), floor(extract(epoch FROM clock_timestamp()) * 1000)`,
  values: [],
}
/** Once more after a commit: where it stops waiting because the setting was emptied, it says nothing. */
export const askStandbys: Statement = {
  text: "SHOW synchronous_standby_names",
  values: [],
}

/** The names in the first column of answers: what a commit waited for (`synchronous_standby_names`). */
export function standbysIn(...answers: readonly Rows[]): readonly string[] {
  return answers.flat().map(([names]) => names ?? "")
}

/** How many standbys a commit waits for, by `synchronous_standby_names`: `FIRST 2 (a, b)`, `ANY 1 (a, b)`, `2 (a, b)`, `a`. */
export function demanded(standbys: string): number {
  if (standbys.trim() === "") return 0
  return Number(/^\s*(?:(?:FIRST|ANY)\s+)?(\d+)\s*\(/i.exec(standbys)?.[1] ?? 1)
}

/** @throws {Fault} `ledger_unavailable` where a commit waits for fewer. */
export function assertReplicated(standbys: readonly string[], replicas: number): void {
  const least = Math.min(...standbys.map(demanded))
  if (least >= replicas) return
  throw new Fault(
    "ledger_unavailable",
    `PostgreSQL waits for ${least} standbys and ledger.replicas asks for ${replicas}; set synchronous_standby_names.`,
  )
}

/** Also who waits, which takes a tenth of the time of a commit: not where the ledger is one host's. */
const askAround: Statement = {
  text: `SELECT current_setting('synchronous_standby_names'), EXISTS (SELECT FROM turns WHERE NOT granted)`,
  values: [],
}

/**
 * Adds a batch after the entry `previous`, if that is still the last; else it adds nothing, and returns `undefined`. `me` names
 * the session; `isShared`: other hosts may wait for their turn.
 */
export async function addBatch(
  { session, ledger }: Reached,
  { head, host, rows, seal }: Batch,
  { previous, me, isShared }: { previous: Head; me: string; isShared: boolean },
) {
  const values = [
    ...[String(previous.seq), hex(previous.hash), String(head.seq), hex(head.hash)],
    ...[host, rows.join("\n"), hex(seal), me],
  ]
  const append = { text: ledger.hasAppend ? appendText : insertText, values }
  const [added = [], after = []] = await session.run(append, isShared ? askAround : askStandbys)
  if (added.length === 0) return undefined
  return {
    /** What the commit waited for, when it began and when it had ended. */
    standbys: standbysIn(added, after),
    /** Whether another session waits for the turn. */
    isTurnWanted: after[0]?.[1] === "t",
  }
}

/** Compares and appends in one statement, which is a transaction by itself. */
const appendText = "SELECT * FROM append_batch($1::bigint, $2, $3::bigint, $4, $5, $6, $7, $8)"
/** The same in tables of an earlier version, until countersign ledger grants. */
const insertText = `WITH moved AS (
    UPDATE head SET seq = $3::bigint, hash = decode($4, 'hex'), holder = $8
    WHERE seq = $1::bigint AND hash = decode($2, 'hex') RETURNING seq, hash
  )
  INSERT INTO batches (first_seq, last_seq, hash, host, rows, seal)
  SELECT $1::bigint + 1, seq, hash, $5, $6, decode($7, 'hex') FROM moved
  RETURNING current_setting('synchronous_standby_names')`

/** The hash of the entry `seq`, where a batch ends with it. */
export async function hashAt(session: Session, seq: number): Promise<Uint8Array | undefined> {
  const text = "SELECT encode(hash, 'hex') FROM batches WHERE last_seq = $1::bigint"
  const [[[hash] = []] = []] = await session.run({ text, values: [String(seq)] })
  return hash == null ? undefined : bytes(hash)
}

/** The next batches after the entry `seq`, in their order; none at the end. */
export async function batchesAfter(session: Session, seq: number): Promise<readonly Batch[]> {
  const [page = []] = await session.run(pageAfter(seq))
  return page.map(batchOf)
}

/** Far below what an answer may have. Most batches have some 70 kB at most, those with the venue's answers megabytes. */
const maxPageBytes = 8 * 1_048_576

/** A page of batches: at least one, and not many that are large. */
export function pageAfter(seq: number): Statement {
  return {
    text: `SELECT first_seq, last_seq, encode(hash, 'hex'), host, rows, encode(seal, 'hex')
      FROM (SELECT *, sum(octet_length(rows)) OVER (ORDER BY last_seq) - octet_length(rows) AS before
        FROM (SELECT * FROM batches WHERE last_seq > $1::bigint ORDER BY last_seq LIMIT ${maxBehind}) AS next) AS page
      WHERE before < ${maxPageBytes} ORDER BY last_seq`,
    values: [String(seq)],
  }
}

export function batchOf([first, last, hash, host, rows, seal]: Rows[number]): Batch {
  return {
    firstSeq: whole(first),
    head: { seq: whole(last), hash: bytes(hash ?? "") },
    host: host ?? "",
    rows: (rows ?? "").split("\n"),
    seal: bytes(seal ?? ""),
  }
}

export function whole(text: string | null | undefined): number {
  if (/^\d{1,15}$/.test(text ?? "")) return Number(text)
  throw misread("a number")
}

function misread(what: string): Fault {
  return new Fault("ledger_unusable", `PostgreSQL tells ${what} that isn't one; nothing is signed.`)
}

export function bytes(text: string): Uint8Array {
  return Buffer.from(text, "hex")
}

export function hex(value: Uint8Array): string {
  return Buffer.from(value).toString("hex")
}
