/**
 * The tables of a ledger. `PRAGMA user_version` is the version of those in a file. docs/ledger-schema.md describes every table.
 */
export const schemaVersion = 9

export const schema = `
  CREATE TABLE entries (
    seq   INTEGER PRIMARY KEY,
    id    TEXT NOT NULL,
    kind  TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    row   TEXT NOT NULL,
    hash  BLOB NOT NULL
  ) STRICT;
  CREATE INDEX entries_by_record ON entries (row ->> '$.record')
    WHERE kind IN ('outcome', 'repeats', 'act') AND json_valid(row) AND row ->> '$.record' IS NOT NULL;
  CREATE INDEX entries_by_hold ON entries (row ->> '$.hold')
    WHERE kind = 'act' AND json_valid(row) AND row ->> '$.hold' IS NOT NULL;

  CREATE TABLE signers (
    address    TEXT PRIMARY KEY,
    last_nonce INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE requests (
    id              TEXT PRIMARY KEY,
    seq             INTEGER NOT NULL REFERENCES entries (seq),
    client          TEXT NOT NULL,
    key             TEXT NOT NULL,
    operation       TEXT NOT NULL,
    signer          TEXT NOT NULL,
    nonce           INTEGER NOT NULL,
    expires_after   INTEGER NOT NULL,
    decided_at      INTEGER NOT NULL,
    heard           TEXT,
    status          INTEGER,
    code            TEXT,
    counted_at      INTEGER NOT NULL DEFAULT 0,
    sends           INTEGER NOT NULL DEFAULT 0,
    released_at     INTEGER,
    released_seq    INTEGER,
    client_order_id TEXT,
    idempotency_key TEXT,
    key_ended_seq   INTEGER NOT NULL DEFAULT 0,
    answer_seq      INTEGER,
    UNIQUE (signer, nonce)
  ) STRICT;
  CREATE INDEX requests_by_counting ON requests (counted_at, seq);
  CREATE INDEX requests_by_release ON requests (released_at) WHERE released_at IS NOT NULL;
  CREATE UNIQUE INDEX requests_by_seq ON requests (seq);
  CREATE INDEX requests_by_release_entry ON requests (released_seq) WHERE released_seq IS NOT NULL;
  CREATE INDEX requests_by_client_order_id ON requests (client, client_order_id, seq)
    WHERE client_order_id IS NOT NULL;
  CREATE UNIQUE INDEX requests_by_idempotency_key ON requests (client, idempotency_key, key_ended_seq)
    WHERE idempotency_key IS NOT NULL;

  CREATE TABLE refusals (
    id      TEXT PRIMARY KEY,
    seq     INTEGER NOT NULL REFERENCES entries (seq),
    repeats INTEGER NOT NULL
  ) STRICT;

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

  CREATE TABLE checkpoints (
    seq        INTEGER PRIMARY KEY,
    at_ms      INTEGER NOT NULL,
    public_key TEXT NOT NULL
  ) STRICT;

  CREATE TABLE archives (
    seq       INTEGER PRIMARY KEY,
    at_ms     INTEGER NOT NULL,
    file      TEXT NOT NULL,
    sha256    TEXT NOT NULL,
    first_seq INTEGER NOT NULL,
    last_seq  INTEGER NOT NULL,
    last_hash TEXT NOT NULL,
    from_ms   INTEGER NOT NULL,
    to_ms     INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE meter_snapshots (
    id   INTEGER PRIMARY KEY,
    seq  INTEGER NOT NULL,
    head TEXT NOT NULL,
    hash BLOB NOT NULL
  ) STRICT;

  CREATE TABLE meter_snapshot_texts (
    snapshot INTEGER NOT NULL,
    place    INTEGER NOT NULL,
    text     TEXT NOT NULL,
    PRIMARY KEY (snapshot, place)
  ) STRICT;

  CREATE TABLE identity (
    name TEXT NOT NULL
  ) STRICT;
  INSERT INTO identity (name) VALUES (lower(hex(randomblob(16))));

  CREATE TABLE clock (
    one       INTEGER PRIMARY KEY CHECK (one = 1),
    wall_ms   INTEGER NOT NULL,
    uptime_ms INTEGER NOT NULL,
    boot_id   TEXT NOT NULL
  ) STRICT;

  CREATE TABLE probe (
    one   INTEGER PRIMARY KEY CHECK (one = 1),
    at_ms INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE ever_sums (
    meter TEXT PRIMARY KEY,
    used  TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE standing (
    part  TEXT NOT NULL,
    name  TEXT NOT NULL,
    seq   INTEGER NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (part, name)
  ) STRICT, WITHOUT ROWID;
`

/** What brings a ledger of a version up to the next. One that was ever published is never changed. */
export const steps: ReadonlyMap<number, string> = new Map([
  [
    8,
    `
  CREATE TABLE standing (
    part  TEXT NOT NULL,
    name  TEXT NOT NULL,
    seq   INTEGER NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (part, name)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO standing SELECT 'keys', name, seq, json_object('name', name, 'address', address, 'role', role,
    'wallet', wallet, 'targets', json(targets), 'network', network, 'approval', approval,
    'expires_at', expires_at) FROM keys;
  -- A patch leaves out what is null in it.
  INSERT INTO standing SELECT 'clients', name, seq, json_set(json_patch('{}', json_object(
      'idempotency_by', nullif(idempotency_by, 'header'), 'expires_at', expires_at)),
    '$.name', name, '$.token_hash', token_hash, '$.keys', json(keys), '$.rights', json(rights),
    '$.allow_type_b', json(iif(allow_type_b, 'true', 'false'))) FROM clients;
  INSERT INTO standing SELECT 'prices', symbol_id, seq, json_object('symbol_id', symbol_id, 'value', value,
    'as_of', as_of, 'by', set_by, 'confirmed', json(iif(confirmed, 'true', 'false')),
    'drift', json(drift)) FROM prices;
  INSERT INTO standing SELECT 'raises', limit_name, seq, json_object('limit', limit_name, 'to', raised_to,
    'until', ends_at, 'reason', reason) FROM raises;
  INSERT INTO standing SELECT 'freezes', scope || ' ' || name, seq, json_object('scope', scope,
    'name', nullif(name, ''), 'reason', reason, 'by', frozen_by,
    'cancels', json(iif(cancels, 'true', 'false')), 'since', since) FROM freezes;
  INSERT INTO standing SELECT 'armed', client, seq, json_object('client', client) FROM heartbeats;
  INSERT INTO standing SELECT 'accepted', 'files', seq, json_object('hash', hash) FROM accepted_sets
    ORDER BY seq DESC LIMIT 1;
  DROP TABLE keys; DROP TABLE clients; DROP TABLE prices; DROP TABLE raises;
  DROP TABLE freezes; DROP TABLE heartbeats; DROP TABLE accepted_sets;
  `,
  ],
])
