import { Fault } from "../../std/fault.ts"
import { openBudgets } from "../budgets/budgets.ts"
import { type Clock, type LedgerTime, openLedgerClock } from "../process/clock.ts"
import { ledgerAudit } from "./audit/ledger-audit.ts"
import { assertAsSeen, assertNames, type Bindings } from "./bindings.ts"
import { decider, type DecideFrom, openUnderWay, type UnderWay } from "./decide.ts"
import { follower } from "./follow-others.ts"
import type { Ledger } from "./ledger.ts"
import { readHistory } from "./meters/history.ts"
import { actRow, type LedgerWatcher, type StoredSet } from "./records/entries.ts"
import { keepStops } from "./records/freeze.ts"
import { endOf, grantUse } from "./records/hold.ts"
import type { Act, ActRow } from "./records/row.ts"
import { withdrawal } from "./records/standing.ts"
import { RefusalNotes } from "./refusal-notes.ts"
import { settler } from "./settle-request.ts"
import {
  type LedgerStanding,
  noMarks,
  openSignerMarks,
  type OpenSigner,
} from "./signers/signer-marks.ts"
import { openSqliteStore } from "./open-sqlite-store.ts"
import { prepareLedgerFile } from "./sqlite/database.ts"
import { hexHead } from "./sqlite/journal.ts"
import { makeRecordId } from "./records/record-id.ts"
import { countRows } from "./row-counts.ts"
import type { openNonces } from "./signers/nonces.ts"
import { openState } from "./state.ts"
import type { JournalHead } from "./store/audit-queries.ts"
import type { LedgerStore, OpenStore } from "./store/store.ts"

/** What a ledger goes by besides what it has recorded. */
export type LedgerOptions = {
  readonly clock: Clock
  /** Its signers' locks and marks; without, there are none. */
  readonly signers?: OpenSigner | undefined
  readonly maxStartGapMs?: number | undefined
  /** Whether a refusal may be recorded, asked for each; where it may not, it is only counted. */
  readonly mayNote?: () => boolean
}

/**
 * Opens the ledger in a SQLite file, which is made if it isn't there, and holds its exclusive lock until
 * it is closed or the process ends.
 *
 * @throws {Fault} `already_running`, `file_unsafe`, `ledger_unavailable`, `ledger_unusable`.
 */
export async function openLedger({
  file,
  ...options
}: LedgerOptions & { readonly file: string }): Promise<Ledger> {
  await prepareLedgerFile(file)
  return openLedgerOver((nowMs) => openSqliteStore(file, nowMs), options)
}

/** Opens the ledger over what an engine opens, and holds that until it is closed. @throws {Fault} */
export async function openLedgerOver(
  openStore: OpenStore,
  { clock, signers, maxStartGapMs, mayNote = () => true }: LedgerOptions,
): Promise<Ledger> {
  const { store, state: stored } = await openStore(clock.nowMs())
  try {
    const { ledger, clock: last } = stored.identity
    const time = openLedgerClock({ clock, last, maxStartGapMs })
    store.keepClock(time.reading)
    const state = openState(stored, {
      store,
      clock: { ...clock, nowMs: time.now },
      startMs: time.now(),
    })
    const standing = standingOf(store, ledger, state.nonces)
    return ledgerOver(stored.lastSet, {
      ...{ store, time, state, mayNote, watchers: [], holds: { durable: Promise.resolve() } },
      marks: signers === undefined ? noMarks : openSignerMarks(signers, standing),
      budgets: openBudgets(clock),
      rows: countRows(),
    })
  } catch (error) {
    await store.close()
    throw error
  }
}

/** What the marks ask of the ledger by this name. */
function standingOf(
  store: LedgerStore,
  ledger: string,
  nonces: ReturnType<typeof openNonces>,
): LedgerStanding {
  return {
    ledger,
    head: () => hexHead(store.head()),
    has: async (head) => {
      const isThere = await hasEntry(store, head)
      if (!isThere && store.isolated !== undefined) throw store.isolated.lacking()
      return isThere
    },
    lastNonce: (signer) => nonces.last(signer),
    isShared: store.others !== undefined,
  }
}

/** What is in an archive can't be compared any more; that it was archived is later than the mark. */
async function hasEntry(store: LedgerStore, { seq, hash }: JournalHead): Promise<boolean> {
  const last = hexHead(store.head())
  if (seq >= last.seq) return seq === last.seq && hash === last.hash
  const { archived } = await store.run("journalEnds")
  if (seq <= archived.seq) return seq < archived.seq || hash === archived.hash
  return (await store.run("hashAt", seq)) === hash
}

/** A disk that is only slow is done before. */
const longestCommitSeconds = 5

function assertAnswers(store: LedgerStore): void {
  store.assertOpen()
  if (store.commits.read().waited < longestCommitSeconds) return
  const message = "The ledger's last commit doesn't end; look at the disk under it."
  throw new Fault("ledger_unavailable", message)
}

type Parts = DecideFrom & {
  readonly watchers: LedgerWatcher[]
  readonly mayNote: () => boolean
}

function ledgerOver(lastSet: StoredSet | undefined, parts: Parts): Ledger {
  const { store, time, marks, watchers } = parts
  const { commits, replica, others, isolated } = store
  const { limits, nonces, bindings } = parts.state
  const underWay = openUnderWay()
  const notes = new RefusalNotes((row) => store.append(row), parts.rows)
  others?.attend({ followed: follower(parts), settled: () => underWay.ended() })
  return {
    now: time.now,
    lastSet,
    bindings,
    assertAnswers: () => assertAnswers(store),
    broken: Promise.race([store.broken, marks.broken]),
    audit: ledgerAudit(store, () => notes.flush()),
    ...{ budgets: parts.budgets, rows: parts.rows },
    decide: decider(parts, underWay),
    watch: (watcher) => void watchers.push(watcher),
    note: noter(parts, notes),
    headroom: (claims, nowMs) => limits.headroom(claims, nowMs),
    usage: (nowMs) => limits.usage(nowMs),
    replaceMeters: (build, windowMs, ask) => limits.replace({ build, windowMs, ...ask }),
    history: (sinceMs) => readHistory(store, sinceMs),
    recordShadow: shadower(store),
    ...holdings(parts),
    settle: settler(store, limits),
    act: actor(parts, underWay),
    hear: (entry, nowMs) => parts.state.acted(rowOf(entry, bindings(), nowMs)),
    ...lookUps(store),
    lastNonce: (signer) => nonces.last(signer),
    ...guards(parts),
    ...{ commits, replica, others, isolated },
    async close() {
      notes.flush()
      await marks.close(await store.close(() => limits.lastSteps()))
    },
  }
}

/** What keeps nonces from repeating when more than a crash went wrong: copies, restores and clocks; and a probe. */
function guards({
  store,
  time,
  marks,
  state: { nonces },
}: Parts): Pick<Ledger, "clock" | "marks" | "claim" | "probe"> {
  return {
    clock: time,
    marks,
    claim: async (signer) => nonces.raise(signer, await marks.claim(signer)),
    async probe(nowMs) {
      await store.run("probe", nowMs)
    },
  }
}

function shadower(store: LedgerStore): Ledger["recordShadow"] {
  return async (entry, nowMs) => {
    const id = makeRecordId(nowMs)
    await store.append({ kind: "shadow", id, at_ms: nowMs, ...entry })
    return id
  }
}

function noter({ store, mayNote, watchers }: Parts, notes: RefusalNotes): Ledger["note"] {
  return (entry, nowMs) => {
    store.assertOpen()
    const record = store.isolated === undefined && mayNote() ? notes.note(entry, nowMs) : null
    for (const watcher of watchers) watcher.noted?.(entry, record)
    return record
  }
}

function lookUps(
  store: LedgerStore,
): Pick<Ledger, "record" | "records" | "set" | "recentRefusals" | "count"> {
  return {
    set: (hash) => store.run("set", hash),
    recentRefusals: (limit) => store.run("recentRefusals", limit),
    count: () => store.run("count"),
    record: (id) => store.run("find", id),
    records: (search) => store.run("search", search),
  }
}

/**
 * What was reserved before an act is signed before the act is answered, here and on other hosts: a reservation waits
 * for more than its commit, and whoever was told of a revocation or a freeze must see no signature after it.
 */
function actor({ store, state }: Parts, underWay: UnderWay): Ledger["act"] {
  return async (entry, nowMs) => {
    const seen = state.bindings()
    const { id, done } = await store.turn([], () => {
      store.assertOpen()
      store.isolated?.assertTakes(entry.act)
      assertNames(entry, state.bindings())
      assertAsSeen(entry, seen, state.bindings())
      const row = rowOf(entry, state.bindings(), nowMs)
      state.acted(row)
      return { id: row.id, done: Promise.all([underWay.ended(), store.append(row)]) }
    })
    await done
    if (withdrawal.test(entry.act)) await store.others?.quiet()
    return id
  }
}

function rowOf(entry: Act, { freezes }: Bindings, nowMs: LedgerTime): ActRow {
  return actRow(entry.act === "frozen" ? keepStops(entry, freezes) : entry, nowMs)
}

function holdings(
  parts: Parts,
): Pick<Ledger, "findRelease" | "findGrant" | "grants" | "holds" | "decideHold"> {
  const { holds, grants } = parts.state
  return {
    findRelease: (binding, nowMs) => holds.findRelease(binding, nowMs),
    findGrant: (ask, nowMs) => grantUse(grants(), ask, nowMs)?.hold,
    grants: () => [...grants()],
    holds: (nowMs) => holds.list(nowMs),
    decideHold: holdDecider(parts),
  }
}

/** How many grants may be open at a time, of all clients. */
const maxOpenGrants = 100

function holdDecider({ store, state }: Parts): Ledger["decideHold"] {
  return (id, { by, ...decision }, nowMs) =>
    store.turn([], async () => {
      store.assertOpen()
      store.isolated?.assertTakes(`hold_${decision.to}`)
      state.holds.assertPending(id, nowMs)
      if (decision.to === "granted") assertRoomForGrant(state, nowMs)
      const said =
        decision.to === "granted"
          ? ({ act: "hold_granted", ...decision.grant, by } as const)
          : ({ act: `hold_${decision.to}`, hold: id, by } as const)
      const row = actRow(said, nowMs)
      state.acted(row)
      await store.append(row)
    })
}

function assertRoomForGrant({ grants }: Parts["state"], nowMs: LedgerTime): void {
  const open = grants().filter((grant) => endOf(grant, nowMs) === undefined)
  if ([...open].length < maxOpenGrants) return
  throw new Fault("usage", `There are ${maxOpenGrants} open grants already; end some first.`)
}
