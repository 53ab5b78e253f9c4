import type { Decision } from "../asks.ts"
import { groupedDecimal } from "./words.ts"

/** What a screen reader is told of refusals. */
export type RefusalNews = {
  /** Takes new decisions in, the newest first. */
  hear(decisions: readonly Decision[]): void
  /** What is to be read out now, if anything: a sentence stays for a few seconds, and then there is none for a moment. */
  tell(nowMs: number): string
}

/** Speech is slow: more often than this, nobody could listen. */
export const quietMs = 5_000

/** Gathers refusals into a sentence at a time, however many there are. */
export function gatherRefusals(): RefusalNews {
  // A page in the background isn't drawn, so they may be many.
  let waiting: Waiting | undefined
  let said = ""
  let saidAtMs = -Infinity
  return {
    hear(decisions) {
      const refusals = decisions.filter(({ result }) => result === "refused")
      const [last] = refusals
      if (last === undefined) return
      waiting = { count: (waiting?.count ?? 0) + refusals.length, last }
    },
    tell(nowMs) {
      if (said !== "" && nowMs - saidAtMs < quietMs) return said
      // The same sentence in place of itself wouldn't be read again, so none comes between.
      if (said !== "" || waiting === undefined) return (said = "")
      said = sentenceOf(waiting)
      saidAtMs = nowMs
      waiting = undefined
      return said
    },
  }
}

type Waiting = { readonly count: number; readonly last: Decision }

function sentenceOf({ count, last: { message, reason, client } }: Waiting): string {
  const words = message ?? reason ?? "It says no reason."
  const start = count === 1 ? "Refused" : `${groupedDecimal(String(count))} refused, the last one`
  return `${start} for ${client}: ${words}`
}
