import type { DatabaseSync } from "node:sqlite"

import type { PostgresLedger } from "../../config/ledger-config.ts"
import { readArchivedHead, readIdentity } from "../sqlite/journal.ts"
import type { LedgerKey } from "../store/audit-queries.ts"
import { begin, commit, copySql, literal } from "./batches-sql.ts"
import { rightsSql } from "./rights-sql.ts"

/** How many entries a batch of the past has. */
const batchEntries = 100

/**
 * What makes the ledger's tables in an empty database and moves all entries there, for psql; piece by piece. The tables
 * belong to whoever runs it: the hosts' role may read, and append by a function of theirs.
 *
 * @throws {Fault} `ledger_unusable` where an entry isn't what was chained.
 */
export function* moveSql(
  database: DatabaseSync,
  { host, role }: PostgresLedger,
  key: LedgerKey,
): Generator<string> {
  const { ledger, head } = readIdentity(database)
  yield `${begin}${tablesFor(role)}`
  const after = readArchivedHead(database)
  yield* copySql(database, { after, entries: batchEntries, ledger, host, key })
  yield `INSERT INTO countersign.head (ledger, seq, hash) VALUES ('${ledger}', ${head.seq}, ${literal(head.hash)});\n${commit}`
}

function tablesFor(role: string): string {
  return `DO $$ BEGIN
  IF current_setting('server_encoding') <> 'UTF8' THEN
    RAISE EXCEPTION 'The database isn''t in UTF8; make it anew: createdb --encoding=UTF8 --locale=C --template=template0 NAME';
  END IF;
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
-- How often each client's heartbeat was heard. Nothing that is signed follows from it.
CREATE TABLE countersign.beats (
  client text PRIMARY KEY,
  beats bigint NOT NULL
) WITH (fillfactor = 50);
${rightsSql(role)}`
}
