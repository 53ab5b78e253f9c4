import type { Head } from "../store/store.ts"
import type { Batch } from "./batch.ts"
import { maxAnswerRows, type Rows, type Session, type Statement } from "./session.ts"
import { askStandbys, batchOf, bytes, pageAfter, standbysIn, whole } from "./tables.ts"

/** What came of asking for the turn. */
export type Turn = {
  /** `behind`: there was more to read than one may read in its turn. `late`: its holder didn't give it on, and has lost it. */
  readonly outcome: (typeof outcomes)[number]
  /** How long what a session that broke off was about to give out may still come. */
  readonly quietMs: number
  /** The server's clock. */
  readonly serverMs: number
  readonly head: Head
  /** The first that came after what was known. */
  readonly batches: readonly Batch[]
  /** What the commit waited for, before and after. */
  readonly standbys: readonly string[]
}

/**
 * Takes the turn in one round trip. What it tells is durable, also on the standbys. `me` names the session, `known` is the
 * last entry that it has.
 */
export async function takeTurn(
  session: Session,
  { me, known, patienceMs }: { me: string; known: number; patienceMs: number },
): Promise<Turn> {
  const take = { text: takeText, values: [me, String(known), `${patienceMs}ms`] }
  const answers = await session.run(take, askHead, pageAfter(known), askStandbys)
  const [[taken = []] = [], head = [], page = [], after = []] = answers
  const [outcome, quietMs, serverMs, before] = taken
  return {
    outcome: outcomes.find((each) => each === outcome) ?? "late",
    quietMs: whole(quietMs),
    serverMs: whole(serverMs),
    head: headOf(head),
    batches: page.map(batchOf),
    standbys: [before ?? "", ...standbysIn(after)],
  }
}

function headOf(rows: Rows): Head {
  const [seq, hash] = rows[0] ?? []
  return { seq: whole(seq), hash: bytes(hash ?? "") }
}

const outcomes = ["taken", "behind", "late"] as const

/** Gives it on. That nothing is held back needn't be durable: where it is forgotten, others wait a little longer. */
export async function giveTurn(session: Session, me: string): Promise<void> {
  const unlock = "SELECT pg_advisory_unlock(hashtextextended('countersign', 0))"
  await session.run({ text: settleText, values: [me] }, { text: unlock, values: [] })
}

/** Whether another session waits for it. */
export async function isTurnWanted(session: Session): Promise<boolean> {
  const text = "SELECT EXISTS (SELECT FROM turns WHERE NOT granted)"
  const [[[isWanted] = []] = []] = await session.run({ text, values: [] })
  return isWanted === "t"
}

/** A commit that adds nothing: whoever had it at this moment wasn't cut off. Returns what it waited for. */
export async function touchHead(session: Session, me: string): Promise<readonly string[]> {
  const text = "UPDATE head SET holder = $1 RETURNING current_setting('synchronous_standby_names')"
  return standbysIn(...(await session.run({ text, values: [me] }, askStandbys)))
}

const takeText = `SELECT outcome, quiet_ms, now_ms, current_setting('synchronous_standby_names')
  FROM take_turn($1, $2::bigint, $3)`
const askHead: Statement = { text: "SELECT seq, encode(hash, 'hex') FROM head", values: [] }
const settleText = `WITH soon AS (SELECT set_config('synchronous_commit', 'off', true))
  UPDATE head SET holder = '' FROM soon WHERE holder = $1`

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
