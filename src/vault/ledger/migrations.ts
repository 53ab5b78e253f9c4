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
    token_hash   TEXT,
    keys         TEXT NOT NULL,
    rights       TEXT NOT NULL,
    allow_type_b INTEGER NOT NULL
  ) STRICT;
  `,
  `
  ALTER TABLE requests ADD COLUMN counted_at INTEGER NOT NULL DEFAULT 0;
  UPDATE requests SET counted_at = decided_at;
  ALTER TABLE requests ADD COLUMN sends INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE requests ADD COLUMN released_at INTEGER;
  ALTER TABLE requests ADD COLUMN released_seq INTEGER;
  CREATE INDEX requests_by_counting ON requests (counted_at, seq);
  CREATE INDEX requests_by_release ON requests (released_at) WHERE released_at IS NOT NULL;

  CREATE TABLE holds (
    seq        INTEGER PRIMARY KEY REFERENCES entries (seq),
    id         TEXT NOT NULL UNIQUE,
    client     TEXT NOT NULL,
    key        TEXT NOT NULL,
    operation  TEXT NOT NULL,
    target     TEXT,
    body_hash  TEXT NOT NULL,
    body       TEXT NOT NULL,
    policy     TEXT NOT NULL,
    rule       TEXT NOT NULL,
    worst      TEXT NOT NULL,
    opened_at  INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    state      TEXT NOT NULL,
    decided_by TEXT
  ) STRICT;
  CREATE INDEX open_holds ON holds (expires_at) WHERE state IN ('pending', 'released');

  CREATE TABLE prices (
    symbol_id INTEGER PRIMARY KEY,
    seq       INTEGER NOT NULL REFERENCES entries (seq),
    value     TEXT NOT NULL,
    as_of     INTEGER NOT NULL,
    set_by    TEXT NOT NULL,
    confirmed INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE raises (
    seq        INTEGER PRIMARY KEY REFERENCES entries (seq),
    limit_name TEXT NOT NULL,
    raised_to  TEXT NOT NULL,
    ends_at    INTEGER NOT NULL,
    reason     TEXT NOT NULL
  ) STRICT;

  CREATE TABLE sets (
    hash         TEXT PRIMARY KEY,
    files        TEXT NOT NULL,
    activated_at INTEGER NOT NULL,
    seq          INTEGER NOT NULL REFERENCES entries (seq)
  ) STRICT;
  CREATE INDEX sets_by_activation ON sets (seq);

  CREATE TABLE shadows (
    seq      INTEGER PRIMARY KEY REFERENCES entries (seq),
    asked_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX shadows_by_time ON shadows (asked_at);

  CREATE TABLE accepted_sets (
    seq  INTEGER PRIMARY KEY REFERENCES entries (seq),
    hash TEXT NOT NULL
  ) STRICT;
  `,
]
