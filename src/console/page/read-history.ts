import type { Entries } from "../asks.ts"
import { post, proofOfSession } from "./session.ts"

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
