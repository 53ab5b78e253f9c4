import type { DatabaseSync } from "node:sqlite"

import { Fault } from "../../../std/fault.ts"
import { readIdentity } from "../sqlite/journal.ts"
import { begin, commit, literal } from "./batches-sql.ts"

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
