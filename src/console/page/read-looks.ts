import type { Entries, Look, Decision, RecordShown } from "../asks.ts"
import { post, proofOfSession } from "./session.ts"
import type { Opened } from "./views/record.ts"

/** What is done with each thing that the page is told. */
type Listener = {
  readonly look: (now: Look) => void
  /** A part of what was decided before the first look, which it comes after. */
  readonly history: (part: Entries) => void
  /** The console can't reach the vault for now, and is asked again soon. */
  readonly away: (why: string) => void
  /** The console itself can't be reached for now, and is asked again soon. */
  readonly lost: (why: string) => void
  /** The session is over. Nothing comes after it. */
  readonly ended: (why: string) => void
}

const awayPauseMs = 1_000
const lostPausesMs = [1_000, 2_000, 4_000, 8_000, 15_000]

/** Asks how everything stands, again and again, until the session ends; the server lets a second pass between two answers. */
export async function readLooks(listener: Listener): Promise<void> {
  let after: number | undefined
  for (let failures = 0; proofOfSession() !== undefined;) {
    const answered = await post("look", after === undefined ? {} : { after })
    if (answered.ok) {
      failures = 0
      const look = answered.data as Look // the server parsed it
      listener.look(look)
      if (after === undefined) readBefore(look, listener)
      after = look.news.last
      continue
    }
    if (isOver(answered)) {
      listener.ended(answered.why)
      return
    }
    const isLost = answered.status === undefined
    if (isLost) listener.lost(answered.why)
    else listener.away(answered.why)
    await pause(isLost ? lostPauseMs(failures) : awayPauseMs)
    failures += 1
  }
}

function readBefore({ news }: Look, { history }: Listener): void {
  if (!news.is_end) void readHistory(news.first, history)
}

function isOver({ status }: { readonly status: number | undefined }): boolean {
  return status === 401 || status === 403
}

function lostPauseMs(failures: number): number {
  return lostPausesMs[Math.min(failures, lostPausesMs.length - 1)] ?? awayPauseMs
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** The longest history that is read, in parts; a vault that signs all the time has more than that of five minutes. */
export const maxParts = 100

/** Reads what was decided before an entry of the ledger, part by part, and tells each: as far back as the console does. */
export async function readHistory(before: number, told: (history: Entries) => void): Promise<void> {
  let from = before
  for (let part = 0; part < maxParts && proofOfSession() !== undefined; part += 1) {
    const answered = await post("history", { before: from })
    // What there is can be looked at without; looks themselves say why none comes.
    if (!answered.ok) return
    const history = answered.data as Entries // the server parsed it
    told(history)
    if (history.is_end) return
    from = history.first
  }
}

/** Opens a row and reads its record, or closes it. At most one is open, and none at first. `show` hears of each change. */
export function openedRow(show: (opened: Opened | undefined) => void): (row: Decision) => void {
  let openSeq: number | undefined
  const open = async (row: Decision): Promise<void> => {
    const { seq } = row
    show({ seq, known: { kind: "asked" } })
    const known = await recordOf(row)
    // Another may have been opened meanwhile.
    if (openSeq === seq) show({ seq, known })
  }
  return (row) => {
    const isOpen = openSeq === row.seq
    openSeq = isOpen ? undefined : row.seq
    if (isOpen) show(undefined)
    else void open(row)
  }
}

async function recordOf({ record: id, seq }: Decision): Promise<Opened["known"]> {
  const answered = await post("record", { id, seq })
  return answered.ok
    ? { kind: "told", record: answered.data as RecordShown | null } // the server made it
    : { kind: "failed", why: answered.why }
}
