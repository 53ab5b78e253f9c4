import type { Outcome } from "../../link/calls/both-ways.ts"
import { noSuchRequest } from "./found-records.ts"
import type { Ledger } from "./ledger.ts"
import type { Limits } from "./meters/limits.ts"
import { type RecordId, makeRecordId } from "./records/record-id.ts"
import type { OutcomeRow } from "./records/row.ts"
import type { LedgerStore } from "./store/store.ts"

/** Records what became of requests, and gives room back where that follows. */
export function settler(store: LedgerStore, limits: Limits): Ledger["settle"] {
  return async (record, outcome, nowMs) => {
    const heard = outcomeRow(record, outcome, nowMs)
    await store.turn([], async () => {
      const release = limits.expectRelease(heard)
      const row = {
        ...heard,
        ...(outcome.kind === "refused" && release.atMs !== nowMs && { counted_at: release.atMs }),
      }
      const written = await store.append(row)
      release.heard(written.kind === "written" ? written.released : undefined)
      if (written.kind === "unknown_request") throw noSuchRequest()
    })
  }
}

function outcomeRow(record: RecordId, outcome: Outcome, nowMs: number): OutcomeRow {
  return {
    kind: "outcome",
    id: makeRecordId(nowMs),
    at_ms: nowMs,
    record,
    outcome: outcome.kind,
    status: ("status" in outcome ? outcome.status : null) ?? null,
    code: ("code" in outcome ? outcome.code : null) ?? null,
    ...extrasOf(outcome),
  }
}

/** What is said only where it says something. */
function extrasOf(outcome: Outcome): Pick<OutcomeRow, "withdrawn" | "again" | "answer" | "order"> {
  switch (outcome.kind) {
    case "sent":
    case "unknown":
      return {}
    case "unsent":
      return outcome.withdrawn === true ? { withdrawn: true } : {}
    case "accepted":
    case "refused":
      return {
        ...(outcome.again === true && { again: true }),
        ...(outcome.answer !== undefined && { answer: outcome.answer }),
        ...(outcome.order !== undefined && { order: outcome.order }),
      }
  }
}
