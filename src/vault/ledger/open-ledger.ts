import type { Outcome } from "../../link/methods.ts"
import type { Refusal } from "../../link/refusal.ts"
import { Fault } from "../../std/fault.ts"
import type { Clock } from "../clock.ts"
import { actRow } from "./act-row.ts"
import { startCommitQueue, type CommitQueue } from "./commit-queue.ts"
import { prepareLedgerFile } from "./ledger-file.ts"
import type { Ledger, RecordId, Reservation, ReserveAsk } from "./ledger.ts"
import { openNames, type Names } from "./names.ts"
import { openNonces, type Nonces } from "./nonces.ts"
import { readClient, readKey } from "./read-bindings.ts"
import { makeRecordId } from "./record-id.ts"
import { openRefusalNotes } from "./refusal-notes.ts"
import type { OutcomeRow, RequestRow } from "./row.ts"
import { storedRecord } from "./stored-record.ts"

/**
 * Opens the ledger in a SQLite file, which is made if it isn't there, and holds its exclusive lock until
 * it is closed or the process ends.
 *
 * @throws {Fault} `already_running`, `file_unsafe`, `ledger_unavailable`.
 */
export async function openLedger(input: {
  readonly file: string
  readonly clock: Clock
}): Promise<Ledger> {
  await prepareLedgerFile(input.file)
  const { queue, state } = await startCommitQueue(input.file)
  try {
    const opened = { keys: state.keys.map(readKey), clients: state.clients.map(readClient) }
    return ledgerOver(queue, opened, openNonces(input.clock, state.lastNonces))
  } catch (error) {
    await queue.close()
    throw error
  }
}

function ledgerOver(queue: CommitQueue, opened: Ledger["opened"], nonces: Nonces): Ledger {
  const notes = openRefusalNotes((row) => queue.run({ kind: "write", row }))
  return {
    opened,
    reserve: (ask) => reserve(ask, queue, nonces),
    note(entry, nowMs) {
      queue.assertOpen()
      return notes.note(entry, nowMs)
    },
    settle: settler(queue),
    act: actor(queue, openNames(opened)),
    async record(id, nowMs) {
      const found = await queue.run({ kind: "find", id })
      return found === undefined ? undefined : storedRecord(found, nowMs)
    },
    count: () => queue.run({ kind: "count" }),
    close() {
      notes.flush()
      return queue.close()
    },
  }
}

/** What comes before the `await` runs within the call itself, so that nothing can slip in between. */
async function reserve(ask: ReserveAsk, queue: CommitQueue, nonces: Nonces): Promise<Reservation> {
  queue.assertOpen()
  const taken = nonces.take(ask.signer, ask.nowMs)
  if (taken.kind === "too_fast") return { kind: "refused", refusal: tooFast(taken.retryAfterMs) }
  const { nonce } = taken
  const reserved = {
    kind: "reserved",
    record: makeRecordId(ask.nowMs),
    nonce,
    expiresAfterMs: Math.max(ask.nowMs, nonce) + ask.ttlMs,
  } as const
  await queue.run({ kind: "write", row: requestRow(ask, reserved) })
  return reserved
}

function tooFast(retryAfterMs: number): Refusal {
  return {
    code: "signer_pace",
    message:
      "This signer's next nonce would lie more than 1,000 ms ahead of the clock: at most one request a millisecond lasts; try again a little later.",
    data: { retry_after_ms: retryAfterMs },
  }
}

function requestRow(
  { entry, signer, nowMs }: ReserveAsk,
  { record, nonce, expiresAfterMs }: Extract<Reservation, { kind: "reserved" }>,
): RequestRow {
  return {
    kind: "request",
    id: record,
    at_ms: nowMs,
    client: entry.client,
    key: entry.key,
    operation: entry.operation,
    path: entry.path,
    target: entry.target,
    body: entry.body,
    policy_hash: entry.policyHash,
    rule: entry.rule,
    purpose: entry.purpose,
    signer,
    nonce,
    expires_after: expiresAfterMs,
  }
}

function settler(queue: CommitQueue): Ledger["settle"] {
  return async (record, outcome, nowMs) => {
    const written = await queue.run({ kind: "write", row: outcomeRow(record, outcome, nowMs) })
    if (written === "written") return
    throw new Fault("name_unknown", "The ledger has no request with this id; check the id.")
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

function actor(queue: CommitQueue, names: Names): Ledger["act"] {
  return async (entry, nowMs) => {
    queue.assertOpen()
    names.follow(entry)
    const row = actRow(makeRecordId(nowMs), entry, nowMs)
    await queue.run({ kind: "write", row })
    return row.id
  }
}
