import type { Session, Statement } from "./session.ts"
import { whole } from "./tables.ts"

/**
 * How long ago the session of each host that is there spoke, in milliseconds, of those with this one's role. `undefined`
 * where the role may not ask, as every role may unless somebody took that away: an error would end the session.
 */
export async function sessionAges(
  session: Session,
): Promise<ReadonlyMap<string, number> | undefined> {
  const [[[mayLook] = []] = []] = await session.run(askRights)
  if (mayLook !== "t") return undefined
  const [ages = []] = await session.run(askSessions)
  return new Map(ages.map(([host, ms]) => [host ?? "", whole(ms)]))
}

const askRights: Statement = {
  text: `SELECT (SELECT bool_and(has_table_privilege(name, 'SELECT'))
      FROM unnest('{pg_stat_activity,pg_stat_replication,pg_roles}'::text[]) AS name)
    AND (SELECT bool_and(has_function_privilege(name, 'EXECUTE'))
      FROM unnest('{pg_stat_get_activity(integer),pg_stat_get_wal_senders(),pg_control_system(),pg_current_wal_lsn(),pg_walfile_name(pg_lsn)}'::text[]) AS name)`,
  values: [],
}
const askSessions: Statement = {
  text: `SELECT substr(application_name, length('countersign ') + 1),
      floor(1000 * greatest(0, min(extract(epoch FROM clock_timestamp() - state_change))))
    FROM pg_stat_activity WHERE usename = current_user AND datname = current_database()
      AND application_name LIKE 'countersign %' AND state_change IS NOT NULL GROUP BY 1`,
  values: [],
}
