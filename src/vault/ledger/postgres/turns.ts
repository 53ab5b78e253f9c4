import type { Head } from "../store/store.ts"
import type { Batch } from "./batch.ts"
import type { Rows, Session, Statement } from "./session.ts"
import { askStandbys, batchOf, bytes, pageAfter, whole } from "./tables.ts"

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

/** `me` names the session, `known` is the last entry that it has. */
type TurnAsk = { readonly me: string; readonly known: number; readonly patienceMs: number }

/** Takes the turn in one round trip. What it tells is durable, also on the standbys. */
export async function takeTurn(
  session: Session,
  { me, known, patienceMs }: TurnAsk,
): Promise<Turn> {
  const take = { text: takeText, values: [me, String(known), `${patienceMs}ms`] }
  const answers = await session.run(take, askHead, pageAfter(known), askStandbys)
  const [[taken = []] = [], [head = []] = [], page = [], after = []] = answers
  const [outcome, quietMs, serverMs, before] = taken
  return {
    outcome: outcomes.find((each) => each === outcome) ?? "late",
    quietMs: whole(quietMs),
    serverMs: whole(serverMs),
    head: headOf(head),
    batches: page.map(batchOf),
    standbys: [before, ...after.map(([names]) => names)].map((names) => names ?? ""),
  }
}

function headOf([seq, hash]: Rows[number]): Head {
  return { seq: whole(seq), hash: bytes(hash ?? "") }
}

const outcomes = ["taken", "behind", "late"] as const

/** Gives it on. That nothing is held back needn't be durable: where it is forgotten, others wait a little longer. */
export async function giveTurn(session: Session, me: string): Promise<void> {
  await session.run({ text: settleText, values: [me] }, unlock)
}

/** Whether another session waits for it. */
export async function isTurnWanted(session: Session): Promise<boolean> {
  const [[[isWanted] = []] = []] = await session.run(askWanted)
  return isWanted === "t"
}

/** A commit that adds nothing: whoever had it at this moment wasn't cut off. Returns what it waited for. */
export async function touchHead(session: Session, me: string): Promise<readonly string[]> {
  const touch = { text: touchText, values: [me] }
  const [touched = [], after = []] = await session.run(touch, askStandbys)
  return [...touched, ...after].map(([names]) => names ?? "")
}

const takeText = `SELECT outcome, quiet_ms, now_ms, current_setting('synchronous_standby_names')
  FROM take_turn($1, $2::bigint, $3)`
const askHead: Statement = { text: "SELECT seq, encode(hash, 'hex') FROM head", values: [] }
const settleText = `WITH soon AS (SELECT set_config('synchronous_commit', 'off', true))
  UPDATE head SET holder = '' FROM soon WHERE holder = $1`
const unlock: Statement = {
  text: "SELECT pg_advisory_unlock(hashtextextended('countersign', 0))",
  values: [],
}
const askWanted: Statement = {
  text: "SELECT EXISTS (SELECT FROM turns WHERE NOT granted)",
  values: [],
}
const touchText = `UPDATE head SET holder = $1 RETURNING current_setting('synchronous_standby_names')`
