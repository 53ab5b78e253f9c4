/** How many batches a host may be behind and still have the turn: those before it reads without keeping others from theirs. */
export const maxBehind = 50

/** For how long after a session broke off what it was about to give out may still come: twice what it may take, and more. */
export const quietMs = 2_500

/**
 * The turn, which one host's session has at a time: a session's advisory lock. It keeps hosts from deciding at once;
 * what makes that safe is that a batch is added only where the head still is what its host has seen.
 */
export const turnSql = `-- Who has the turn, and who waits for it.
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
