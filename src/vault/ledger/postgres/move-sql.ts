import type { DatabaseSync } from "node:sqlite"

import { Fault } from "../../../std/fault.ts"
import type { PostgresLedger } from "../../config/ledger-config.ts"
import { chainHash, readArchivedHead, readIdentity } from "../sqlite/journal.ts"
import type { LedgerKey, StoredEntry } from "../store/audit-jobs.ts"
import type { Head } from "../store/store.ts"
import { sealBatch, type Batch } from "./batch.ts"
import { turnSql } from "./turn-sql.ts"

/** How many entries a batch of the past has. */
const batchEntries = 100

/**
 * What makes the ledger's tables in an empty database and moves all entries there, for psql; piece by piece. The tables
 * belong to whoever runs it: the hosts' role may read, add batches and move the head, and can alter none.
 *
 * @throws {Fault} `ledger_unusable` where an entry isn't what was chained.
 */
export function* moveSql(
  database: DatabaseSync,
  { host, role }: PostgresLedger,
  key: LedgerKey,
): Generator<string> {
  const { ledger, head } = readIdentity(database)
  // What is cut off doesn't commit.
  yield `BEGIN;\n${tablesFor(role)}`
  yield "COPY countersign.batches (first_seq, last_seq, hash, host, rows, seal) FROM stdin;\n"
  for (const batch of batchesIn(database))
    yield copyLine(sealBatch({ ...batch, host }, ledger, key))
  yield `\\.\nINSERT INTO countersign.head (ledger, seq, hash) VALUES ('${ledger}', ${head.seq}, '\\x${hex(head.hash)}');\nCOMMIT;\n`
}

function tablesFor(role: string): string {
  return `DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${role}') THEN CREATE ROLE ${role} LOGIN; END IF;
END $$;
CREATE SCHEMA countersign;
-- One row: the last entry. It is moved where it still is what the host has seen.
CREATE TABLE countersign.head (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  ledger text NOT NULL,
  seq bigint NOT NULL,
  hash bytea NOT NULL,
  -- The session that may hold signatures back which nobody has yet; empty once it has given all out.
  holder text NOT NULL DEFAULT '',
  -- When those of a session that broke off have been dropped.
  quiet_at timestamptz NOT NULL DEFAULT 'epoch'
) WITH (fillfactor = 10);
-- Entries that a host committed together, a line of RFC 8785 each; sealed with its ledger key (Ed25519).
CREATE TABLE countersign.batches (
  last_seq bigint PRIMARY KEY,
  first_seq bigint NOT NULL CHECK (first_seq <= last_seq),
  hash bytea NOT NULL,
  host text NOT NULL,
  rows text NOT NULL,
  seal bytea NOT NULL
);
${turnSql}REVOKE ALL ON SCHEMA countersign FROM PUBLIC;
GRANT USAGE ON SCHEMA countersign TO ${role};
GRANT SELECT ON countersign.turns TO ${role};
GRANT SELECT, UPDATE (seq, hash, holder, quiet_at) ON countersign.head TO ${role};
GRANT SELECT, INSERT ON countersign.batches TO ${role};
`
}

function* batchesIn(database: DatabaseSync): Generator<Omit<Batch, "host" | "seal">> {
  let head: Head = readArchivedHead(database)
  let rows: string[] = []
  const taken = () => ({ firstSeq: head.seq - rows.length + 1, head, rows })
  const entries = database.prepare("SELECT seq, row, hash FROM entries ORDER BY seq").iterate()
  for (const entry of entries as Iterable<StoredEntry>) {
    const hash = chainHash(head.hash, entry.row)
    if (entry.seq !== head.seq + 1 || Buffer.compare(hash, entry.hash) !== 0) throw broken(entry)
    head = { seq: entry.seq, hash }
    rows.push(entry.row)
    if (rows.length < batchEntries) continue
    yield taken()
    rows = []
  }
  if (rows.length > 0) yield taken()
}

/** A line of COPY's text format. */
function copyLine({ firstSeq, head, host, rows, seal }: Batch): string {
  const text = rows.join("\n").replaceAll("\\", "\\\\").replaceAll("\n", "\\n")
  const bytes = (value: Uint8Array): string => `\\\\x${hex(value)}`
  return `${[firstSeq, head.seq, bytes(head.hash), host, text, bytes(seal)].join("\t")}\n`
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex")
}

function broken({ seq }: Pick<StoredEntry, "seq">): Fault {
  return new Fault(
    "ledger_unusable",
    `Entry ${seq} isn't what was chained; run countersign audit verify.`,
  )
}
