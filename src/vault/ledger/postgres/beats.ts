import { maxAnswerRows, type Session, type Statement } from "./session.ts"
import { whole } from "./tables.ts"

/**
 * Counts a beat of each of these clients, and returns how many of every client are counted: no clock has a part in it.
 * A beat needn't be durable: the bot sends the next.
 */
export async function countBeats(
  session: Session,
  clients: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const count = { text: countText, values: [JSON.stringify(clients)] }
  const [, counted = []] = await session.run(count, askBeats)
  return new Map(counted.map(([client, beats]) => [client ?? "", whole(beats)]))
}

/** In one order, so that no two hosts wait for each other. */
const countText = `WITH soon AS (SELECT set_config('synchronous_commit', 'off', true))
  INSERT INTO beats (client, beats) SELECT client, 1 FROM soon, json_array_elements_text($1::json) AS client ORDER BY client
  ON CONFLICT (client) DO UPDATE SET beats = beats.beats + 1`
/** More than that isn't ours, and would end each session. */
const askBeats: Statement = {
  text: `SELECT client, beats FROM beats LIMIT ${maxAnswerRows}`,
  values: [],
}
