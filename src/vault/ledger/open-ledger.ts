import type { Clock } from "../clock.ts"
import { actRow } from "./act-row.ts"
import { startCommitQueue, type CommitQueue } from "./commit-queue.ts"
import { readHistory } from "./history.ts"
import { openHoldBook, type HoldBook } from "./hold-book.ts"
import { prepareLedgerFile } from "./ledger-file.ts"
import type { Ledger, Opened, RecordedRequest } from "./ledger.ts"
import { openLimits, type Limits } from "./limits.ts"
import { openNames, type Names } from "./names.ts"
import { openNonces, type Nonces } from "./nonces.ts"
import type { OpenedState } from "./opened-state.ts"
import { readClient, readKey } from "./read-bindings.ts"
import { readHold, readPrice, readRaise } from "./read-settings.ts"
import { makeRecordId } from "./record-id.ts"
import { openRefusalNotes } from "./refusal-notes.ts"
import { reserve } from "./reserve.ts"
import { readShadows, recordShadow } from "./shadows.ts"
import { settler } from "./settle-request.ts"
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
  const { file, clock } = input
  await prepareLedgerFile(file)
  const { queue, state } = await startCommitQueue(file, clock.nowMs())
  try {
    return ledgerOver(openedOf(state), {
      queue,
      nonces: openNonces(clock, state.lastNonces),
      limits: openLimits(queue, clock),
      holds: openHoldBook(queue, state.holds.map(readHold)),
    })
  } catch (error) {
    await queue.close()
    throw error
  }
}

type Parts = {
  readonly queue: CommitQueue
  readonly nonces: Nonces
  readonly limits: Limits
  readonly holds: HoldBook
}

function ledgerOver(opened: Opened, parts: Parts): Ledger {
  const { queue, nonces, limits, holds } = parts
  const notes = openRefusalNotes((row) => queue.run({ kind: "write", row }))
  return {
    opened,
    reserve: (ask) => reserve(ask, parts),
    headroom: (claims, nowMs) => limits.headroom(claims, nowMs),
    usage: (nowMs) => limits.usage(nowMs),
    replaceMeters: (build, sinceMs, exchanged) => limits.replace(build, sinceMs, exchanged),
    history: (sinceMs) => historyOf(queue, sinceMs),
    recordShadow: (entry, nowMs) => recordShadow(queue, entry, nowMs),
    shadows: (sinceMs) => readShadows(queue, sinceMs),
    openHold: (ask, nowMs) => holds.open(ask, nowMs),
    findRelease: (binding, nowMs) => holds.findRelease(binding, nowMs),
    holds: (nowMs) => holds.list(nowMs),
    decideHold: (id, decision, nowMs) => holds.decide(id, decision, nowMs),
    set: (hash) => queue.run({ kind: "set", hash }),
    sets: () => queue.run({ kind: "sets" }),
    note(entry, nowMs) {
      queue.assertOpen()
      return notes.note(entry, nowMs)
    },
    settle: settler(queue, limits),
    act: actor(queue, openNames(opened)),
    async record(id, nowMs) {
      const found = await queue.run({ kind: "find", id })
      return found === undefined ? undefined : storedRecord(found, nowMs)
    },
    lastNonce: (signer) => nonces.last(signer),
    recentRefusals: (limit) => queue.run({ kind: "recent_refusals", limit }),
    count: () => queue.run({ kind: "count" }),
    close() {
      notes.flush()
      return queue.close()
    },
  }
}

function openedOf(state: OpenedState): Opened {
  return {
    keys: state.keys.map(readKey),
    clients: state.clients.map(readClient),
    prices: state.prices.map(readPrice),
    raises: state.raises.map(readRaise),
    lastSet: state.lastSet,
    acceptedHash: state.acceptedHash,
  }
}

/** Begins with its first step, so that one that is never taken asks nothing of the ledger. */
async function* historyOf(queue: CommitQueue, sinceMs: number): AsyncGenerator<RecordedRequest> {
  yield* readHistory(queue, sinceMs)
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
