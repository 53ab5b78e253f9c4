import { begin, commit } from "./batches-sql.ts"
import { turnSql } from "./turn-sql.ts"

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

/** What brings the rights of a ledger that was moved by an earlier version to these, for psql. */
export function grantsSql(role: string): string {
  return `${begin}${rightsSql(role)}${commit}`
}
