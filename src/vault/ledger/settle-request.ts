import type { Outcome } from "../../link/methods.ts"
import { Fault } from "../../std/fault.ts"
import type { CommitQueue } from "./commit-queue.ts"
import type { Ledger, RecordId } from "./ledger.ts"
import type { Limits } from "./limits.ts"
import { makeRecordId } from "./record-id.ts"
import type { OutcomeRow } from "./row.ts"

/** Records what became of requests, and gives room back where that follows. */
export function settler(queue: CommitQueue, limits: Limits): Ledger["settle"] {
  return async (record, outcome, nowMs) => {
    const release = limits.expectRelease()
    const row = {
      ...outcomeRow(record, outcome, nowMs),
      ...(outcome.kind === "refused" && release.atMs !== nowMs && { counted_at: release.atMs }),
    }
    const written = await queue.run({ kind: "write", row })
    if (written.kind === "unknown_request") {
      throw new Fault("name_unknown", "The ledger has no request with this id; check the id.")
    }
    if (written.released !== undefined) release.give(written.released)
  }
}

function outcomeRow(record: RecordId, outcome: Outcome, nowMs: number): OutcomeRow {
  return {
    kind: "outcome",
    id: makeRecordId(nowMs),
    at_ms: nowMs,
    record,
    outcome: outcome.kind,
    status: "status" in outcome ? outcome.status : null,
    code: "code" in outcome ? outcome.code : null,
  }
}
