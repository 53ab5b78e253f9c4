import { setImmediate as turnEnded } from "node:timers/promises"

import type { Refusal } from "../../contract/refusal.ts"
import { err, ok, type Result } from "../../std/result.ts"
import { addDecimals, formatDecimal } from "../../venue/decimal.ts"
import type { Budgets } from "../budgets/budgets.ts"
import { budgetExhausted } from "../budgets/budget.ts"
import type { LedgerClock, LedgerTime } from "../process/clock.ts"
import { requestStages } from "../process/stages.ts"
import { type Claim, isEver } from "../policy/terms.ts"
import { type KeyUse, keyUse, nothingHeard } from "./found-records.ts"
import { holdRow } from "./hold-book.ts"
import type { Ledger, LedgerTurn, OpenHold } from "./ledger.ts"
import type { RequestEntry, LedgerWatcher } from "./records/entries.ts"
import { grantUse, type GrantLeft, type HoldAsk } from "./records/hold.ts"
import { nameOf, type IdempotencyKey } from "./records/idempotency.ts"
import { makeRecordId, type RecordId } from "./records/record-id.ts"
import { refundFieldsOf, refundsOf, sizesOf } from "./records/request-row.ts"
import type { Headroom, Reservation, ReserveAsk } from "./records/reservation.ts"
import type { RequestRow } from "./records/row.ts"
import { limitExhausted, releaseUnusable, tooFast, tooManyHolds } from "./refusals.ts"
import type { RowCounts } from "./row-counts.ts"
import type { SignerMarks } from "./signers/signer-marks.ts"
import type { openState } from "./state.ts"
import type { LedgerStore, StoreTurn, Timed } from "./store/store.ts"

/** What a turn judges by and takes from. */
export type DecideFrom = {
  readonly store: LedgerStore
  readonly state: ReturnType<typeof openState>
  readonly time: LedgerClock
  readonly budgets: Budgets
  readonly rows: RowCounts
  readonly marks: SignerMarks
  readonly watchers: readonly LedgerWatcher[]
  /** The hold that was opened last. */
  readonly holds: { durable: Promise<unknown> }
}

/** Makes a ledger's `decide`; what its turns begin is followed to its end. */
export function decider(from: DecideFrom, underWay: UnderWay): Ledger["decide"] {
  const keyTurns = openKeyTurns()
  return async (keys, step) => {
    let end = (): void => undefined // no turn has begun
    let timed: Timed | undefined
    const followed: typeof step = (turn) => {
      end = underWay.begin()
      timed = from.store.others?.timed()
      return step({ ...turn, outBy: timed?.outBy })
    }
    const work = () => decide(keys, followed, from)
    try {
      const made = await (keys.length === 0 ? work() : keyTurns.run(keys, work))
      timed?.assertInTime()
      return made
    } finally {
      end()
    }
  }
}

async function decide<Made>(
  keys: readonly IdempotencyKey[],
  step: (turn: LedgerTurn) => () => Made,
  from: DecideFrom,
): Promise<Made> {
  const taken: TakenInTurn = { durable: [], reserved: [], keyUses: new Map() }
  const make = await from.store.turn(keys, (found) => step(openTurn(found, taken, from)))
  // The commit has been asked for. What is made meanwhile comes out once that is done.
  const made = Promise.try(make)
  made.catch(() => undefined) // told below
  await Promise.all(taken.durable)
  for (const { entry, record } of taken.reserved) {
    for (const watcher of from.watchers) watcher.reserved?.(entry, record)
  }
  return made
}

/** What one turn has taken by now. */
type TakenInTurn = {
  /** What all that it makes waits for. */
  readonly durable: Promise<unknown>[]
  readonly reserved: { readonly entry: ReserveAsk["entry"]; readonly record: RecordId }[]
  /** What its own requests have made of their keys. */
  readonly keyUses: Map<string, KeyUse>
}

function openTurn(store: StoreTurn, taken: TakenInTurn, from: DecideFrom): LedgerTurn {
  const nowMs = from.time.now()
  return {
    nowMs,
    keyUse(key) {
      from.marks.assertNoneWaits()
      return taken.keyUses.get(nameOf(key)) ?? keyUse(store.found(key), nowMs)
    },
    reserve(ask) {
      const reserved = reserve(ask, taken, from)
      const paced = reserved.kind === "refused" && reserved.refusal.code === "signer_pace"
      if (paced) for (const watcher of from.watchers) watcher.paced?.(ask.entry.key)
      return reserved
    },
    openHold: (ask) => openHold(ask, taken, { ...from, nowMs }),
  }
}

/**
 * Takes room in every limit, the release, the venue's budgets and the nonce, all of them or none, and appends
 * the record. What can refuse comes before anything is taken.
 */
function reserve(ask: ReserveAsk, taken: TakenInTurn, from: DecideFrom): Reservation {
  const { store, state, budgets } = from
  store.assertOpen()
  if (ask.lane === "open") assertClockSafe(from)
  from.marks.assertUsable(ask.signer)
  const refusal = ask.guarded?.refusal() ?? refuseRest(ask, from)
  if (refusal !== undefined) return { kind: "refused", refusal }
  const next = state.nonces.next({ ...ask, client: ask.entry.client })
  if (next.kind === "too_fast") return { kind: "refused", refusal: tooFast(next.retryAfterMs) }

  const { nonce } = next
  const record = makeRecordId(ask.nowMs)
  const expires_after = Math.max(ask.nowMs, nonce) + ask.ttlMs
  const countedAtMs = state.limits.countingTime(ask.nowMs)
  const endless = ask.claims.filter(({ window }) => isEver(window))
  const ever = everFields(state.limits.headroom(endless, ask.nowMs))
  const grant = grantFor(ask, from)
  const row = requestRow(ask, { id: record, nonce, expires_after, countedAtMs, grant, ...ever })
  state.took(row, ask.claims)
  ask.guarded?.took(record, expires_after)
  if (ask.spending !== undefined) budgets.count(ask.spending)
  waitFor(taken, store.append(row))
  waitFor(taken, from.marks.cover(ask.signer, nonce))
  taken.reserved.push({ entry: ask.entry, record })
  noteKey(row, taken, ask.nowMs)
  requestStages.publish({ stage: "reserved" })
  return { kind: "reserved", record, nonce, expiresAfterMs: expires_after }
}

/** What the rest of the turn is told of the row's idempotency key. */
function noteKey(row: RequestRow, taken: TakenInTurn, nowMs: LedgerTime): void {
  const { client, idempotency } = row
  if (idempotency === undefined) return
  const use = keyUse({ row, ...nothingHeard }, nowMs)
  taken.keyUses.set(nameOf({ client, ...idempotency }), use)
}

/** Opens a hold, or finds the one of this very request that waits already. */
function openHold(
  ask: HoldAsk,
  taken: TakenInTurn,
  from: DecideFrom & { readonly nowMs: LedgerTime },
): Result<OpenHold, Refusal> {
  const { store, state, holds, rows, nowMs } = from
  store.assertOpen()
  if (store.isolated !== undefined) return err(store.isolated.stop)
  const earlier = state.holds.pending(ask, nowMs)
  if (earlier !== undefined) {
    waitFor(taken, holds.durable)
    return ok(earlier)
  }
  const { client, body } = ask
  const counted = { client, kind: "hold", bytes: Buffer.byteLength(body) } as const
  if (!state.holds.hasRoom(client, nowMs) || !rows.take(counted, nowMs)) return err(tooManyHolds())
  const row = holdRow(ask, nowMs)
  state.acted(row)
  holds.durable = store.append(row)
  waitFor(taken, holds.durable)
  return ok(row)
}

/** Nothing of a turn comes out before `durable` is; where that fails, the turn tells it. */
function waitFor(taken: TakenInTurn, durable: Promise<unknown>): void {
  durable.catch(() => undefined)
  taken.durable.push(durable)
}

function assertClockSafe({ time, watchers }: DecideFrom): void {
  try {
    time.assertSafe()
  } catch (error) {
    for (const watcher of watchers) watcher.clockUnsafe?.()
    throw error
  }
}

/** Which limit is spent, why it can't be taken here, why the release can't be used, or which budget has no room. */
function refuseRest(ask: ReserveAsk, from: DecideFrom): Refusal | undefined {
  const { state, budgets, store } = from
  const { spending, nowMs } = ask
  const spent = state.limits.ask(ask.claims, nowMs)
  if (spent !== undefined) return limitExhausted(spent, nowMs)
  const away = store.isolated?.refuse(ask) ?? refuseRelease(ask, from)
  if (away !== undefined) return away
  const short = spending === undefined ? undefined : budgets.ask(spending)
  return short === undefined ? undefined : budgetExhausted(short, nowMs)
}

function refuseRelease(ask: ReserveAsk, from: DecideFrom): Refusal | undefined {
  const { release, entry, nowMs } = ask
  if (release === undefined || grantFor(ask, from) !== undefined) return undefined
  if (from.state.holds.mayUse(release.hold, entry, nowMs)) return undefined
  return releaseUnusable(release.hold)
}

/** What is left of the grant that the request uses, once it has. */
function grantFor({ release, nowMs }: ReserveAsk, { state }: DecideFrom): GrantLeft | undefined {
  return release?.grant && grantUse(state.grants(), release.grant, nowMs)
}

/** A reserved request as the journal holds it. */
function requestRow(
  { entry, signer, nowMs, claims, sizes, release }: ReserveAsk,
  taken: Pick<RequestRow, "id" | "nonce" | "expires_after" | "ever"> & {
    readonly countedAtMs: number
    readonly grant: GrantLeft | undefined
  },
): RequestRow {
  const { countedAtMs, grant, ...given } = taken
  const refunds = refundable(entry, claims)
  return {
    ...{ kind: "request", at_ms: nowMs, signer, ...given, ...entry, ...sizesOf(sizes) },
    ...(release !== undefined && grant === undefined && { release: release.hold }),
    ...(grant !== undefined && { grant }),
    ...(refunds.length > 0 && { refunds: refunds.map(refundFieldsOf) }),
    ...(countedAtMs !== nowMs && { counted_at: countedAtMs }),
  }
}

/** What is counted with the request. Limits that share a meter ask the same of it. */
function everFields(rooms: readonly Headroom[]): Pick<RequestRow, "ever"> {
  if (rooms.length === 0) return {}
  const ever = rooms.map(
    ({ claim, used, asked }) => [claim.meter, addDecimals(used, asked)] as const,
  )
  return { ever: Object.fromEntries(ever.map(([meter, sum]) => [meter, formatDecimal(sum)])) }
}

/** Who got the signed body itself may send it as often as they like, so no refusal is of the only send. */
function refundable({ purpose }: RequestEntry, claims: readonly Claim[]) {
  return purpose === "forward" ? refundsOf(claims) : []
}

/** Work that has begun and may not have ended. */
export type UnderWay = ReturnType<typeof openUnderWay>

/** Starts with nothing under way. */
export function openUnderWay() {
  const ends = new Set<Promise<undefined>>()
  return {
    /** Returns what is to be called when it has ended. */
    begin(): () => void {
      const { promise, resolve } = Promise.withResolvers<undefined>()
      ends.add(promise)
      return () => {
        ends.delete(promise)
        resolve(undefined)
      }
    },
    /** Resolves when all that has begun by now has ended, and who waited for it has gone on. */
    async ended(): Promise<void> {
      await Promise.all(ends)
      await turnEnded()
    },
  }
}

/**
 * Lets work that names the same idempotency key go one after the other: a key is looked up when all that was
 * asked with it before is durable, or was refused, and nobody else uses it until the work has ended.
 */
function openKeyTurns() {
  /** The last one in the line of each key. */
  const lines = new Map<string, Promise<unknown>>()
  return {
    run<Out>(keys: readonly IdempotencyKey[], work: () => Promise<Out>): Promise<Out> {
      const names = keys.map(nameOf)
      // All at once, so that no two wait for each other.
      const done = Promise.allSettled(names.flatMap((name) => lines.get(name) ?? [])).then(work)
      for (const name of names) lines.set(name, done)
      const leave = (): void => {
        for (const name of names) if (lines.get(name) === done) lines.delete(name)
      }
      done.then(leave, leave)
      return done
    },
  }
}
