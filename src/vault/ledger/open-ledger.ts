import { openBudgets, type Budgets } from "../budgets/budgets.ts"
import { type Clock, openLedgerClock, type LedgerClock } from "../process/clock.ts"
import { ledgerAudit } from "./audit/ledger-audit.ts"
import { openHoldBook, type HoldBook } from "./hold-book.ts"
import type { Ledger, Opened } from "./ledger.ts"
import { readHistory, readShadows, recordShadow } from "./meters/history.ts"
import { openLimits, type Limits } from "./meters/limits.ts"
import { openNames, type Names } from "./names.ts"
import { openRecentKeys, type RecentKeys } from "./recent-keys.ts"
import { actRow } from "./records/act-row.ts"
import type { RecordedRequest } from "./records/entries.ts"
import { readClient, readKey } from "./records/read-bindings.ts"
import { readFreeze, readHold, readPrice, readRaise } from "./records/read-settings.ts"
import type { LedgerWatcher } from "./records/ledger-watcher.ts"
import { makeRecordId } from "./records/record-id.ts"
import { openRefusalNotes, type RefusalNotes } from "./refusal-notes.ts"
import { reserver, openUnderWay, type UnderWay } from "./reserve.ts"
import { settler } from "./settle-request.ts"
import { openSafety, type LedgerSafety, openNonces, type Nonces } from "./signers/ledger-safety.ts"
import type { SignerMarks } from "./signers/signer-marks.ts"
import { startCommitQueue, type CommitQueue } from "./store/commit-queue.ts"
import { prepareLedgerFile } from "./store/database.ts"
import type { OpenedState } from "./store/opened-state.ts"
import { keyUse } from "./store/stored-keys.ts"
import { storedRecord } from "./store/stored-rows.ts"

/**
 * Opens the ledger in a SQLite file, which is made if it isn't there, and holds its exclusive lock until
 * it is closed or the process ends.
 *
 * @throws {Fault} `already_running`, `file_unsafe`, `ledger_unavailable`, `ledger_unusable`.
 */
export async function openLedger(input: {
  readonly file: string
  readonly clock: Clock
  /** Where its signers' locks and marks are; without, there are none. */
  readonly signerDir?: string
  readonly maxStartGapMs?: number
  /** Whether a refusal may be recorded, asked for each; where it may not, it is only counted. */
  readonly mayNote?: () => boolean
}): Promise<Ledger> {
  const { file, clock, signerDir, maxStartGapMs, mayNote = () => true } = input
  await prepareLedgerFile(file)
  const { queue, state } = await startCommitQueue(file, clock.nowMs())
  try {
    const { ledger, clock: last } = state.identity
    const time = openLedgerClock({ clock, last, maxStartGapMs })
    queue.keepClock(time.reading)
    const nonces = openNonces(clock, time.now(), state.lastNonces)
    return ledgerOver(openedOf(state), {
      queue,
      time,
      nonces,
      ...openSafety({ queue, nonces, time, ledger, signerDir }),
      limits: openLimits(queue, { ...clock, nowMs: time.now }),
      budgets: openBudgets(clock),
      holds: openHoldBook(queue, state.holds.map(readHold)),
      recentKeys: openRecentKeys(clock),
      mayNote,
    })
  } catch (error) {
    await queue.close()
    throw error
  }
}

type Parts = {
  readonly queue: CommitQueue
  readonly time: LedgerClock
  readonly nonces: Nonces
  readonly marks: SignerMarks
  readonly safety: LedgerSafety
  readonly limits: Limits
  readonly budgets: Budgets
  readonly holds: HoldBook
  readonly recentKeys: RecentKeys
  readonly mayNote: () => boolean
}

function ledgerOver(opened: Opened, parts: Parts): Ledger {
  const { queue, nonces, limits, holds } = parts
  const underWay = openUnderWay()
  const notes = openRefusalNotes((row) => queue.run({ kind: "write", row }))
  return {
    opened,
    now: parts.time.now,
    broken: Promise.race([queue.broken, parts.marks.broken]),
    audit: ledgerAudit(queue, () => notes.flush()),
    budgets: parts.budgets,
    ...watched(parts, underWay, notes),
    follow: (work) => underWay.follow(work),
    headroom: (claims, nowMs) => limits.headroom(claims, nowMs),
    usage: (nowMs) => limits.usage(nowMs),
    replaceMeters: (build, sinceMs, ask) => limits.replace({ build, sinceMs, ...ask }),
    history: (sinceMs) => historyOf(queue, sinceMs),
    recordShadow: (entry, nowMs) => recordShadow(queue, entry, nowMs),
    shadows: (sinceMs) => readShadows(queue, sinceMs),
    openHold: (ask, nowMs) => holds.open(ask, nowMs),
    findRelease: (binding, nowMs) => holds.findRelease(binding, nowMs),
    holds: (nowMs) => holds.list(nowMs),
    decideHold: (id, decision, nowMs) => holds.decide(id, decision, nowMs),
    settle: settler(queue, limits),
    act: actor(queue, openNames(opened), underWay),
    ...lookUps(parts),
    lastNonce: (signer) => nonces.last(signer),
    safety: parts.safety,
    commits: queue.commits,
    async close() {
      notes.flush()
      await parts.marks.close(await queue.close(() => limits.lastJobs()))
    },
  }
}

/** What whoever watches the ledger hears of. */
function watched(
  parts: Parts,
  underWay: UnderWay,
  notes: RefusalNotes,
): Pick<Ledger, "watch" | "reserve" | "note"> {
  const watchers: LedgerWatcher[] = []
  return {
    watch: (watcher) => void watchers.push(watcher),
    reserve: reserver(parts, underWay, watchers),
    note(entry, nowMs) {
      parts.queue.assertOpen()
      const record = parts.mayNote() ? notes.note(entry, nowMs) : null
      for (const watcher of watchers) watcher.noted?.(entry, record)
      return record
    },
  }
}

function lookUps({
  queue,
  marks,
  recentKeys,
}: Parts): Pick<
  Ledger,
  "record" | "records" | "keyUse" | "set" | "sets" | "recentRefusals" | "count"
> {
  return {
    set: (hash) => queue.run({ kind: "set", hash }),
    sets: () => queue.run({ kind: "sets" }),
    recentRefusals: (limit) => queue.run({ kind: "recent_refusals", limit }),
    count: () => queue.run({ kind: "count" }),
    async record(id, nowMs) {
      const found = await queue.run({ kind: "find", id })
      return found === undefined ? undefined : storedRecord(found, nowMs)
    },
    async records(search, nowMs) {
      const found = await queue.run({ kind: "search", search })
      return found.map((record) => storedRecord(record, nowMs))
    },
    async keyUse(key, nowMs) {
      marks.assertNoneWaits()
      const use = keyUse(await queue.run({ kind: "find_key", key }), nowMs)
      // Its record is durable by now, but a signature waits for more than that.
      await recentKeys.find(key)?.durable
      return use
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
    freezes: state.freezes.map(readFreeze),
    armed: state.armed,
  }
}

/** Begins with its first step, so that one that is never taken asks nothing of the ledger. */
async function* historyOf(queue: CommitQueue, sinceMs: number): AsyncGenerator<RecordedRequest> {
  yield* readHistory(queue, sinceMs)
}

/**
 * What was reserved before an act is signed before the act is answered: a reservation waits for more than
 * its commit, and whoever was told of a revocation or a freeze must see no signature after it.
 */
function actor(queue: CommitQueue, names: Names, underWay: UnderWay): Ledger["act"] {
  return async (entry, nowMs) => {
    queue.assertOpen()
    names.follow(entry)
    const row = actRow(makeRecordId(nowMs), entry, nowMs)
    const earlier = underWay.ended()
    await queue.run({ kind: "write", row })
    await earlier
    return row.id
  }
}
