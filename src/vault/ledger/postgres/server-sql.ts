// What PostgreSQL has of a ledger: tables, and functions that hosts call. What they answer is checked; that hosts append in one order is theirs.

/** How many batches a host may be behind and still have the turn: those before it reads without keeping others from theirs. */
export const maxBehind = 50

/** For how long after a session broke off what it was about to give out may still come: twice what it may take, and more. */
export const quietMs = 2_500

/**
 * The turn, which one host's session has at a time: a session's advisory lock. It keeps hosts from deciding at once;
 * what makes that safe is that a batch is added only where the head still is what its host has seen.
 */
const turnSql = `-- Who has the turn, and who waits for it.
CREATE OR REPLACE VIEW countersign.turns AS
  SELECT pid, granted FROM pg_locks
  WHERE locktype = 'advisory' AND objsubid = 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND (classid::bigint << 32) | objid::bigint = hashtextextended('countersign', 0);
-- Without the warning that it has ended already: a session that hears one takes nothing for durable.
CREATE OR REPLACE FUNCTION countersign.end_session(who int) RETURNS void LANGUAGE sql SET client_min_messages = 'error'
  AS 'SELECT pg_terminate_backend(who)';
-- Takes the turn, unless it isn't given on in time. A holder that PostgreSQL waits for, and has for most of that, loses it: it may have taken it after the wait began.
CREATE OR REPLACE FUNCTION countersign.take_turn(me text, known bigint, patience text)
  RETURNS TABLE (outcome text, quiet_ms bigint, now_ms bigint) LANGUAGE plpgsql AS $$
DECLARE
  last countersign.head;
  seen xid;
  silent record;
BEGIN
  PERFORM set_config('lock_timeout', patience, true);
  BEGIN
    PERFORM pg_advisory_lock(hashtextextended('countersign', 0));
  EXCEPTION WHEN lock_not_available THEN
    -- A turn that was given on just then is this session's all the same, and outlives the exception.
    IF NOT EXISTS (SELECT FROM countersign.turns WHERE granted AND pid = pg_backend_pid()) THEN
      SELECT xmin INTO seen FROM countersign.head;
      FOR silent IN SELECT pid, state_change FROM countersign.turns JOIN pg_stat_activity USING (pid)
        WHERE granted AND wait_event_type = 'Client' AND state_change < clock_timestamp() - 0.7 * patience::interval LOOP
        -- What it may give out it decided before it was silent, unless it awoke just now: then the head isn't as it was.
        UPDATE countersign.head SET holder = '', quiet_at = greatest(quiet_at, silent.state_change + interval '${quietMs} ms')
          WHERE holder <> '' AND one IN (SELECT one FROM countersign.head WHERE xmin = seen FOR UPDATE SKIP LOCKED);
        PERFORM countersign.end_session(silent.pid);
      END LOOP;
      RETURN QUERY SELECT 'late', 0::bigint, 0::bigint;
      RETURN;
    END IF;
  END;
  SELECT * INTO last FROM countersign.head;
  -- What was given on is durable. What a session left that broke off is durable with this, which is written after it.
  IF last.holder NOT IN ('', me) THEN
    PERFORM set_config('lock_timeout', '0', true); -- that a commit waits for a standby ends no host
    SELECT * INTO last FROM countersign.head FOR UPDATE; -- once whoever ended that session has said so
  END IF;
  IF last.holder NOT IN ('', me) THEN
    last.quiet_at := greatest(last.quiet_at, clock_timestamp() + interval '${quietMs} ms');
    UPDATE countersign.head SET holder = me, quiet_at = last.quiet_at;
  END IF;
  outcome := 'taken';
  IF (SELECT count(*) FROM (SELECT FROM countersign.batches WHERE last_seq > known LIMIT ${maxBehind + 1}) AS b) > ${maxBehind} THEN
    PERFORM pg_advisory_unlock(hashtextextended('countersign', 0));
    outcome := 'behind';
  END IF;
  quiet_ms := greatest(0, ceil(extract(epoch FROM last.quiet_at - clock_timestamp()) * 1000));
  now_ms := floor(extract(epoch FROM clock_timestamp()) * 1000);
  RETURN NEXT;
END $$;
`

/** Runs with the rights of the tables' owner, so that a host can add a batch at the end, and nothing anywhere else. */
const appendSql = `-- Adds a batch after the entry \`known\`, if that still is the last, and moves the head to its end.
CREATE OR REPLACE FUNCTION countersign.append_batch(known bigint, known_hash text, new_seq bigint, new_hash text, host text, rows text, seal text, me text)
  RETURNS SETOF text LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF new_seq <> known + 1 + length(rows) - length(replace(rows, chr(10), '')) THEN
    RAISE EXCEPTION 'a batch has another number of entries than it says';
  END IF;
  UPDATE countersign.head SET seq = new_seq, hash = decode(new_hash, 'hex'), holder = me
    WHERE seq = known AND hash = decode(known_hash, 'hex');
  IF FOUND THEN
    INSERT INTO countersign.batches (first_seq, last_seq, hash, host, rows, seal)
      VALUES (known + 1, new_seq, decode(new_hash, 'hex'), append_batch.host, append_batch.rows, decode(append_batch.seal, 'hex'));
    RETURN NEXT current_setting('synchronous_standby_names');
  END IF;
END $$;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA countersign FROM PUBLIC;
`

/** What runs in PostgreSQL for the hosts, and all that their role may do there. Also where another version was before. */
export function rightsSql(role: string): string {
  return `${turnSql}${appendSql}REVOKE ALL ON SCHEMA countersign FROM PUBLIC;
REVOKE ALL ON ALL TABLES IN SCHEMA countersign FROM PUBLIC, ${role};
GRANT USAGE ON SCHEMA countersign TO ${role};
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA countersign TO ${role};
GRANT SELECT ON countersign.turns, countersign.head, countersign.batches, countersign.beats TO ${role};
GRANT UPDATE (holder, quiet_at) ON countersign.head TO ${role};
GRANT INSERT, UPDATE (beats) ON countersign.beats TO ${role};
`
}

/** The ledger's tables in an empty database, and what {@link rightsSql} puts there. They belong to whoever runs it. */
export function tablesSql(role: string): string {
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
