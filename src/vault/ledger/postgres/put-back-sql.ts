import type { DatabaseSync } from "node:sqlite"

import { Fault } from "../../../std/fault.ts"
import type { PostgresLedger } from "../../config/ledger-config.ts"
import { readArchivedHead, readIdentity } from "../sqlite/journal.ts"
import type { LedgerKey } from "../store/audit-queries.ts"
import type { Head } from "../store/store.ts"
import { begin, commit, copySql, literal } from "./batches-sql.ts"

type PutBackAsk = Pick<PostgresLedger, "host"> & {
  readonly key: LedgerKey
  /** The last entry that PostgreSQL has. */
  readonly afterSeq: number
  /** Its name there, where that is another one: this host's changed when a restore was accepted. */
  readonly named: string | undefined
}

/**
 * What puts the entries that this copy has and PostgreSQL lacks back there, for psql; piece by piece. It changes
 * nothing where PostgreSQL's last entry is another one than this copy's `afterSeq`.
 *
 * @throws {Fault} `usage` where the copy has nothing after it; `ledger_unusable` where an entry isn't what was chained.
 */
export function* putBackSql(
  database: DatabaseSync,
  { host, key, afterSeq, named }: PutBackAsk,
): Generator<string> {
  const { ledger: name, head } = readIdentity(database)
  const ledger = named ?? name
  const after = entryAt(database, afterSeq)
  if (after === undefined || head.seq <= afterSeq) throw nothingAfter(afterSeq, head)
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

function entryAt(database: DatabaseSync, seq: number): Head | undefined {
  const archived = readArchivedHead(database)
  if (seq === archived.seq) return archived
  // Our own STRICT table.
  return database.prepare("SELECT seq, hash FROM entries WHERE seq = ?").get(seq) as
    Head | undefined
}

function nothingAfter(afterSeq: number, { seq }: Head): Fault {
  return new Fault(
    "usage",
    `This host's copy has nothing to put back after entry ${afterSeq}: its last one is ${seq}.`,
  )
}

/**
 * What ends the ledger in PostgreSQL where this copy ends, at entry `afterSeq`, for psql. What came after goes into a table
 * of its own, so that nothing is lost that somebody may want to see.
 *
 * @throws {Fault} `usage` where the copy ends elsewhere.
 */
export function* leaveOutSql(database: DatabaseSync, afterSeq: number): Generator<string> {
  const { seq, hash } = readIdentity(database).head
  if (seq !== afterSeq) throw endsElsewhere(afterSeq, seq)
  yield `${begin}DO $$ BEGIN
  UPDATE countersign.head SET seq = ${seq}, hash = ${literal(hash)}
    WHERE seq > ${seq} AND EXISTS (SELECT FROM countersign.batches WHERE last_seq = ${seq} AND hash = ${literal(hash)});
  IF NOT FOUND THEN RAISE EXCEPTION 'PostgreSQL has nothing after entry ${seq}, or another entry ${seq} than this host; nothing was changed.'; END IF;
END $$;
CREATE TABLE IF NOT EXISTS countersign.left_out (LIKE countersign.batches, left_at timestamptz NOT NULL DEFAULT now());
WITH taken AS (DELETE FROM countersign.batches WHERE last_seq > ${seq} RETURNING *)
  INSERT INTO countersign.left_out SELECT * FROM taken;
${commit}`
}

function endsElsewhere(afterSeq: number, seq: number): Fault {
  return new Fault(
    "usage",
    `This host's copy ends at entry ${seq}, and not at ${afterSeq}; run this on the host that has most, as countersign audit verify counts.`,
  )
}
