import type { Session, Statement } from "./session.ts"
import { whole } from "./tables.ts"

/**
 * How long ago the session of each host that is there spoke, in milliseconds, of those with this one's role. `undefined`
 * where the role may not ask, as every role may unless somebody took that away: an error would end the session.
 */
export async function sessionAges(
  session: Session,
): Promise<ReadonlyMap<string, number> | undefined> {
  if (!(await mayLook(session))) return undefined
  const [ages = []] = await session.run({ text: sessions, values: [] })
  return new Map(ages.map(([host, ms]) => [host ?? "", whole(ms)]))
}

async function mayLook(session: Session): Promise<boolean> {
  const [[[may] = []] = []] = await session.run(askRights)
  return may === "t"
}

/** Trips are timed so often: the shortest is what the way takes. */
const trips = 5
/** More isn't one of ours. */
const maxSaid = 16_384

/**
 * What the server says of itself, as JSON that nobody here reads, `null` where the role may not ask; how long the way takes,
 * and when it was asked and had answered by this host.
 */
export async function lookAtServer(session: Session): Promise<object> {
  let [shortestMs, may] = [Infinity, false]
  for (let count = 0; count < trips; count += 1) {
    const sinceMs = performance.now()
    may = await mayLook(session)
    shortestMs = Math.min(shortestMs, performance.now() - sinceMs)
  }
  const askedMs = Date.now()
  const [[[said = null] = []] = []] = may ? await session.run(askStand) : []
  const timed = { round_trip_ms: shortestMs, asked_ms: askedMs, answered_ms: Date.now() }
  return { ...timed, said: said?.slice(0, maxSaid) ?? null }
}

const askRights: Statement = {
  text: `SELECT (SELECT bool_and(has_table_privilege(name, 'SELECT'))
      FROM unnest('{pg_stat_activity,pg_stat_replication,pg_roles,pg_class}'::text[]) AS name)
    AND (SELECT bool_and(has_function_privilege(name, 'EXECUTE'))
      FROM unnest('{pg_stat_get_activity(integer),pg_stat_get_wal_senders(),pg_control_system(),pg_current_wal_lsn(),pg_walfile_name(pg_lsn)}'::text[]) AS name)`,
  values: [],
}
const sessions = `SELECT substr(application_name, length('countersign ') + 1) AS host,
    floor(1000 * greatest(0, min(extract(epoch FROM clock_timestamp() - state_change)))) AS ms
  FROM pg_stat_activity WHERE usename = current_user AND datname = current_database()
    AND application_name LIKE 'countersign %' AND state_change IS NOT NULL GROUP BY 1`
/** The timeline by what is written now: what the last checkpoint was on lags behind a promotion. */
const askStand: Statement = {
  text: `SELECT json_build_object(
    'now_ms', floor(1000 * extract(epoch FROM clock_timestamp())),
    'version', current_setting('server_version'),
    'timeline', substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8),
    'system', (SELECT system_identifier::text FROM pg_control_system()),
    'standbys', current_setting('synchronous_standby_names'),
    'senders', (SELECT json_agg(json_build_object('name', application_name, 'sync', sync_state)) FROM pg_stat_replication),
    'off', (SELECT json_agg(name) FROM unnest('{fsync,full_page_writes,data_checksums}'::text[]) AS name WHERE current_setting(name) <> 'on'),
    'rights', (SELECT json_agg(name) FROM pg_roles AS me, LATERAL (VALUES
      ('superuser', rolsuper), ('createrole', rolcreaterole), ('createdb', rolcreatedb), ('replication', rolreplication),
      ('owner', EXISTS (SELECT FROM pg_class WHERE oid IN ('head'::regclass, 'batches'::regclass) AND pg_has_role(relowner, 'MEMBER'))),
      ('change', has_any_column_privilege('batches', 'UPDATE') OR has_table_privilege('batches', 'DELETE, TRUNCATE') OR has_table_privilege('head', 'INSERT, DELETE, TRUNCATE')),
      ('insert', has_table_privilege('batches', 'INSERT') OR has_column_privilege('head', 'seq', 'UPDATE'))
    ) AS more (name, has) WHERE rolname = current_user AND has),
    'roles', (SELECT json_agg(rolname) FROM pg_roles WHERE rolname <> current_user AND pg_has_role(oid, 'MEMBER')),
    'sessions', (SELECT json_object_agg(host, ms) FROM (${sessions}) AS there),
    'entries', (SELECT json_object_agg(host, seq) FROM (SELECT host, max(last_seq) AS seq
      FROM (SELECT host, last_seq FROM batches ORDER BY last_seq DESC LIMIT 1000) AS newest GROUP BY host) AS last))`,
  values: [],
}
