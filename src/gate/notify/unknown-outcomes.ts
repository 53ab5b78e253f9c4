import { alarm } from "../../link/views/alarms.ts"
import type { Change } from "./alarm-changes.ts"

/** Requests that were sent and nobody knows what became of: events, which are never over. */
export type UnknownOutcomes = {
  readonly note: (record: string) => void
  /** Those that are to be told now, at most once a minute: of a venue that is away all are like the first. */
  take(nowMs: number): readonly Change[]
  /** Those so far are told nobody. */
  forget(): void
}

const quietMs = 60_000

/** What a minute can bring at most; more is told of no more. */
const maxRecords = 10_000

/** Starts with nothing noted. */
export function unknownOutcomes(): UnknownOutcomes {
  const records = new Set<string>()
  let quietUntilMs = -Infinity
  return {
    note(record) {
      if (records.size < maxRecords) records.add(record)
    },
    take(nowMs) {
      if (records.size === 0 || nowMs < quietUntilMs) return []
      quietUntilMs = nowMs + quietMs
      const taken = [...records].map(unknownOutcome)
      records.clear()
      return taken
    },
    forget: () => records.clear(),
  }
}

function unknownOutcome(record: string): Change {
  const fact = `The request ${record} was sent, and nobody knows what became of it`
  const advice = "look at the venue before anything is sent anew; countersign audit show has it"
  return { state: "raised", alarm: alarm("outcome_unknown", { subject: record, fact, advice }) }
}
