/**
 * The schema, step by step: `PRAGMA user_version` counts the steps that a file has been through. A step
 * that was ever released is never changed. docs/ledger-schema.md describes every table.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE entries (
    seq   INTEGER PRIMARY KEY,
    id    TEXT NOT NULL,
    kind  TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    row   TEXT NOT NULL,
    hash  BLOB NOT NULL
  ) STRICT;

  CREATE TABLE signers (
    address    TEXT PRIMARY KEY,
    last_nonce INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE requests (
    id            TEXT PRIMARY KEY,
    seq           INTEGER NOT NULL REFERENCES entries (seq),
    client        TEXT NOT NULL,
    key           TEXT NOT NULL,
    operation     TEXT NOT NULL,
    signer        TEXT NOT NULL,
    nonce         INTEGER NOT NULL,
    expires_after INTEGER NOT NULL,
    decided_at    INTEGER NOT NULL,
    heard         TEXT,
    status        INTEGER,
    code          TEXT,
    UNIQUE (signer, nonce)
  ) STRICT;

  CREATE TABLE refusals (
    id      TEXT PRIMARY KEY,
    seq     INTEGER NOT NULL REFERENCES entries (seq),
    repeats INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE keys (
    seq        INTEGER PRIMARY KEY REFERENCES entries (seq),
    name       TEXT NOT NULL UNIQUE,
    address    TEXT NOT NULL,
    role       TEXT NOT NULL,
    wallet     TEXT,
    targets    TEXT NOT NULL,
    network    TEXT NOT NULL,
    approval   TEXT NOT NULL,
    expires_at INTEGER
  ) STRICT;

  CREATE TABLE clients (
    seq          INTEGER PRIMARY KEY REFERENCES entries (seq),
    name         TEXT NOT NULL UNIQUE,
    token_hash   TEXT NOT NULL,
    keys         TEXT NOT NULL,
    rights       TEXT NOT NULL,
    allow_type_b INTEGER NOT NULL
  ) STRICT;
  `,
]
