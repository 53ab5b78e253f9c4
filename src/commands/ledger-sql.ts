// The ledger of a stopped daemon as SQL for psql, piece by piece: moved to PostgreSQL, put back there, or left out of it.

import type { LedgerReader } from "../audit/open-ledger.ts"
import { entriesAfter, entryAt } from "../audit/read-entries.ts"
import { Fault } from "../std/fault.ts"
import type { PostgresLedger } from "../vault/config/ledger-config.ts"
import { sealBatch, type Batch } from "../vault/ledger/postgres/batch.ts"
import { rightsSql, tablesSql } from "../vault/ledger/postgres/server-sql.ts"
import { chainHash, readArchivedHead, readIdentity } from "../vault/ledger/sqlite/journal.ts"
import type { LedgerKey } from "../vault/ledger/store/audit-queries.ts"
import type { Head } from "../vault/ledger/store/store.ts"

/** It is read as it is written, whatever psql and the server are set to. What is cut off doesn't commit, and nothing is read on after an error. */
const begin =
  "SET client_encoding TO 'UTF8';\nSET standard_conforming_strings TO on;\n\\set ON_ERROR_STOP on\nBEGIN;\n"
const commit = "COMMIT;\n"

/** How many entries a batch of the past has. */
const batchEntries = 100

/**
 * Makes the ledger's tables in an empty database and moves all entries there.
 *
 * @throws {Fault} `ledger_unusable` where an entry isn't what was chained.
 */
export function* moveSql(
  database: LedgerReader,
  { host, role }: PostgresLedger,
  key: LedgerKey,
): Generator<string> {
  const { ledger, head } = readIdentity(database)
  yield `${begin}${tablesSql(role)}`
  const after = readArchivedHead(database)
  yield* copySql(database, { after, entries: batchEntries, ledger, host, key })
  yield `INSERT INTO countersign.head (ledger, seq, hash) VALUES ('${ledger}', ${head.seq}, ${literal(head.hash)});\n${commit}`
}

/** Brings the rights of a ledger that was moved by an earlier version to what they are now. */
export function grantsSql(role: string): string {
  return `${begin}${rightsSql(role)}${commit}`
}

type PutBackAsk = Pick<PostgresLedger, "host"> & {
  readonly key: LedgerKey
  /** The last entry that PostgreSQL has. */
  readonly afterSeq: number
  /** Its name there, where that is another one: this host's changed when a restore was accepted. */
  readonly named: string | undefined
}

/**
 * Puts the entries that this copy has and PostgreSQL lacks back there. It changes nothing where PostgreSQL's last entry is
 * another one than this copy's `afterSeq`.
 *
 * @throws {Fault} `usage` where the copy has nothing after it; `ledger_unusable` where an entry isn't what was chained.
 */
export function* putBackSql(
  database: LedgerReader,
  { host, key, afterSeq, named }: PutBackAsk,
): Generator<string> {
  const { ledger: name, head } = readIdentity(database)
  const ledger = named ?? name
  const archived = readArchivedHead(database)
  const after = afterSeq === archived.seq ? archived : entryAt(database, afterSeq)
  if (after === undefined || head.seq <= afterSeq) {
    throw new Fault(
      "usage",
      `This host's copy has nothing to put back after entry ${afterSeq}: its last one is ${head.seq}.`,
    )
  }
  yield `${begin}DO $$ BEGIN
  UPDATE countersign.head SET seq = ${head.seq}, hash = ${literal(head.hash)}
    WHERE ledger = '${ledger}' AND seq = ${after.seq} AND hash = ${literal(after.hash)};
  IF NOT FOUND THEN RAISE EXCEPTION 'This isn''t the ledger of host ${host} as it was at entry ${after.seq}; nothing was changed.'; END IF;
END $$;
`
  // Copies of other hosts may end with any of them.
  yield* copySql(database, { after, entries: 1, ledger, host, key })
  yield commit
}

/**
 * Ends the ledger in PostgreSQL where this copy ends, at entry `afterSeq`. What came after goes into a table of its own, so
 * that nothing is lost that somebody may want to see.
 *
 * @throws {Fault} `usage` where the copy ends elsewhere.
 */
export function leaveOutSql(database: LedgerReader, afterSeq: number): string {
  const { seq, hash } = readIdentity(database).head
  if (seq !== afterSeq) {
    throw new Fault(
      "usage",
      `This host's copy ends at entry ${seq}, and not at ${afterSeq}; run this on the host that has most, as countersign audit verify counts.`,
    )
  }
  return `${begin}DO $$ BEGIN
  UPDATE countersign.head SET seq = ${seq}, hash = ${literal(hash)}
    WHERE seq > ${seq} AND EXISTS (SELECT FROM countersign.batches WHERE last_seq = ${seq} AND hash = ${literal(hash)});
  IF NOT FOUND THEN RAISE EXCEPTION 'PostgreSQL has nothing after entry ${seq}, or another entry ${seq} than this host; nothing was changed.'; END IF;
END $$;
CREATE TABLE IF NOT EXISTS countersign.left_out (LIKE countersign.batches, left_at timestamptz NOT NULL DEFAULT now());
WITH taken AS (DELETE FROM countersign.batches WHERE last_seq > ${seq} RETURNING *)
  INSERT INTO countersign.left_out SELECT * FROM taken;
${commit}`
}

type CopyAsk = {
  /** The entry before the first. */
  readonly after: Head
  /** How many entries a batch has at most. */
  readonly entries: number
  readonly ledger: string
  /** Who seals them. */
  readonly host: string
  readonly key: LedgerKey
}

/** Adds all later entries of the file. @throws {Fault} `ledger_unusable` where one isn't what was chained. */
function* copySql(
  database: LedgerReader,
  { ledger, host, key, ...ask }: CopyAsk,
): Generator<string> {
  yield "COPY countersign.batches (first_seq, last_seq, hash, host, rows, seal) FROM stdin;\n"
  for (const batch of batchesIn(database, ask)) {
    yield copyLine(sealBatch({ ...batch, host }, ledger, key))
  }
  yield "\\.\n"
}

function* batchesIn(
  database: LedgerReader,
  { after, entries: most }: Pick<CopyAsk, "after" | "entries">,
): Generator<Omit<Batch, "host" | "seal">> {
  let head = after
  let rows: string[] = []
  const taken = () => ({ firstSeq: head.seq - rows.length + 1, head, rows })
  for (const { seq, row, hash: kept } of entriesAfter(database, after.seq)) {
    const hash = chainHash(head.hash, row)
    if (seq !== head.seq + 1 || Buffer.compare(hash, kept) !== 0) {
      throw new Fault(
        "ledger_unusable",
        `Entry ${seq} isn't what was chained; run countersign audit verify.`,
      )
    }
    head = { seq, hash }
    rows.push(row)
    if (rows.length < most) continue
    yield taken()
    rows = []
  }
  if (rows.length > 0) yield taken()
}

/** A line of COPY's text format. */
function copyLine({ firstSeq, head, host, rows, seal }: Batch): string {
  const text = rows.join("\n").replaceAll("\\", "\\\\").replaceAll("\n", "\\n")
  return `${[firstSeq, head.seq, `\\${hexIn(head.hash)}`, host, text, `\\${hexIn(seal)}`].join("\t")}\n`
}

/** Bytes as SQL has them. */
function literal(bytes: Uint8Array): string {
  return `'${hexIn(bytes)}'`
}

function hexIn(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes).toString("hex")}`
}
