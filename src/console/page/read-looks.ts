import type { Look } from "../asks.ts"
import { post } from "./session.ts"

/** What is done with each thing that the page is told. */
export type Listener = {
  look(now: Look): void
  /** The console can't reach the vault for now, and is asked again soon. */
  away(why: string): void
  /** The console itself can't be reached for now, and is asked again soon. */
  lost(why: string): void
  /** The session is over. Nothing comes after it. */
  ended(why: string): void
}

const awayPauseMs = 1_000
const lostPausesMs = [1_000, 2_000, 4_000, 8_000, 15_000]

/** Asks how everything stands, again and again, until the session ends; the server lets a second pass between two answers. */
export async function readLooks(listener: Listener): Promise<void> {
  for (let failures = 0; ;) {
    const answered = await post("look", {})
    if (answered.ok) {
      failures = 0
      listener.look(answered.data as Look) // the server parsed it
      continue
    }
    const { status, why } = answered
    if (status === 401 || status === 403) {
      listener.ended(why)
      return
    }
    if (status === undefined) listener.lost(why)
    else listener.away(why)
    const lostPauseMs = lostPausesMs[Math.min(failures, lostPausesMs.length - 1)]
    failures += 1
    const pauseMs = status === undefined ? lostPauseMs : awayPauseMs
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}
