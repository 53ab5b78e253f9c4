import { setImmediate as turnEnded } from "node:timers/promises"

import type { Refusal } from "../../link/views/refusal.ts"
import { Fault } from "../../std/fault.ts"
import { formatDecimal } from "../../venue/decimal.ts"
import type { Budgets } from "../budgets/budgets.ts"
import { budgetExhausted } from "../budgets/shortage.ts"
import { requestStages } from "../process/stages.ts"
import type { HoldBook } from "./hold-book.ts"
import type { LedgerClock } from "../process/clock.ts"
import type { Ledger } from "./ledger.ts"
import type { Limits } from "./meters/limits.ts"
import type { RecentKey, RecentKeys } from "./recent-keys.ts"
import type { IdempotencyKey } from "./records/idempotency.ts"
import type { LedgerWatcher } from "./records/ledger-watcher.ts"
import { makeRecordId } from "./records/record-id.ts"
import { requestRow } from "./records/request-row.ts"
import type { Reservation, ReserveAsk, Taken, Headroom } from "./records/reservation.ts"
import type { Nonces } from "./signers/ledger-safety.ts"
import type { SignerMarks } from "./signers/signer-marks.ts"
import type { CommitQueue } from "./store/commit-queue.ts"

/** What a reservation is made in. */
export type ReserveFrom = {
  readonly queue: CommitQueue
  readonly time: LedgerClock
  readonly limits: Limits
  readonly budgets: Budgets
  readonly holds: HoldBook
  readonly nonces: Nonces
  readonly marks: SignerMarks
  readonly recentKeys: RecentKeys
}

/** Makes a ledger's `reserve`; what it begins is followed to its end, and told to `watchers`. */
export function reserver(
  from: ReserveFrom,
  underWay: UnderWay,
  watchers: readonly LedgerWatcher[],
): Ledger["reserve"] {
  return (ask, make) => {
    const reserving = underWay.follow(reserve(ask, make, from))
    // Beside the answer: who waits for it waits no turn longer.
    reserving.then(
      (reserved) => watchers.forEach((watcher) => tell(watcher, ask.entry, reserved)),
      (error: unknown) => {
        if (!(error instanceof Fault) || error.code !== "clock_unsafe") return
        for (const watcher of watchers) watcher.clockUnsafe?.()
      },
    )
    return reserving
  }
}

function tell(
  watcher: LedgerWatcher,
  entry: ReserveAsk["entry"],
  reserved: Reservation<unknown>,
): void {
  if (reserved.kind === "reserved") watcher.reserved?.(entry, reserved.record)
  if (reserved.kind === "refused" && reserved.refusal.code === "signer_pace") {
    watcher.paced?.(entry.key)
  }
}

/**
 * Takes room in every limit, the release, the venue's budgets and the nonce, all of them or none, and records the request.
 *
 * What comes before the `await` runs within the call itself, so that nothing can slip in between; what
 * can refuse comes before anything is taken. What `make` makes of it meanwhile comes out once it is durable.
 */
async function reserve<Made>(
  ask: ReserveAsk,
  make: ((taken: Taken) => Made) | undefined,
  from: ReserveFrom,
): Promise<Reservation<Made>> {
  const { queue, limits, nonces, recentKeys } = from
  queue.assertOpen()
  if (ask.lane === "open") from.time.assertSafe()
  from.marks.assertUsable(ask.signer)
  const first = otherWithKey(ask, recentKeys)
  if (first !== undefined) {
    await first.durable
    return { kind: "repeat" }
  }
  const { spent, over } = limits.ask(ask.claims, ask.nowMs)
  if (spent !== undefined) return refused(limitExhausted(spent, ask.nowMs))
  const refusal = refuseRest(ask, from)
  if (refusal !== undefined) return refused(refusal)
  const taken = nonces.take(ask.signer, ask.nowMs, ask.lane)
  if (taken.kind === "too_fast") return refused(tooFast(taken.retryAfterMs))

  const reserved = {
    record: makeRecordId(ask.nowMs),
    nonce: taken.nonce,
    expiresAfterMs: Math.max(ask.nowMs, taken.nonce) + ask.ttlMs,
  }
  const row = requestRow(ask, { ...reserved, countedAtMs: limits.countingTime(ask.nowMs) })
  limits.count(ask.claims, row)
  takeRest(ask, from)
  const durable = Promise.all([
    queue.run({ kind: "write", row }),
    from.marks.cover(ask.signer, taken.nonce),
  ])
  const key = keyOf(ask)
  if (key !== undefined) recentKeys.add(key, { record: reserved.record, durable })
  requestStages.publish({ stage: "reserved" })
  const made = await madeMeanwhile(() => make?.(reserved), durable)
  // Without `make` nothing is asked for, and `Made` is undefined.
  return { kind: "reserved", ...reserved, made: made as Made, over }
}

/** Runs `make` once the commit has been asked for, and gives out what it made once that is done. */
async function madeMeanwhile<Made>(make: () => Made, durable: Promise<unknown>): Promise<Made> {
  const made = Promise.resolve().then(make)
  made.catch(() => undefined) // told below
  await durable
  return made
}

function keyOf({ entry: { client, idempotency } }: ReserveAsk): IdempotencyKey | undefined {
  return idempotency && { client, by: idempotency.by, key: idempotency.key }
}

/** A request with the same key that the look-up before this call could not find. */
function otherWithKey(ask: ReserveAsk, recentKeys: RecentKeys): RecentKey | undefined {
  const key = keyOf(ask)
  const recent = key && recentKeys.find(key)
  return recent?.record === ask.entry.idempotency?.replaces ? undefined : recent
}

/** Why the release can't be used, or which budget has no room. */
function refuseRest(ask: ReserveAsk, { holds, budgets }: ReserveFrom): Refusal | undefined {
  const { release, spending, entry, nowMs } = ask
  if (release !== undefined && !holds.mayUse(release.hold, entry, nowMs)) {
    return releaseUnusable(release.hold)
  }
  const short = spending === undefined ? undefined : budgets.ask(spending)
  return short === undefined ? undefined : budgetExhausted(short, nowMs)
}

function takeRest({ release, spending }: ReserveAsk, { holds, budgets }: ReserveFrom): void {
  if (release !== undefined) holds.use(release.hold)
  if (spending !== undefined) budgets.count(spending)
}

function refused(refusal: Refusal): Extract<Reservation, { kind: "refused" }> {
  return { kind: "refused", refusal }
}

/** The sentence names no time, so that what comes again and again is recorded as one refusal. */
export function limitExhausted(
  { claim, asked, used, freesAtMs }: Headroom,
  nowMs: number,
): Refusal {
  const amounts = {
    max: formatDecimal(claim.max),
    used: formatDecimal(used),
    asked: formatDecimal(asked),
  }
  const advice =
    freesAtMs === undefined ? "it never allows that much at once" : "frees_at says when it has room"
  return {
    code: "limit_exhausted",
    message: `The limit ${claim.policy}/${claim.limit} is spent: ${amounts.used} of ${amounts.max} used, ${amounts.asked} asked; ${advice}.`,
    data: {
      policy: claim.policy,
      limit: claim.limit,
      ...amounts,
      frees_at: freesAtMs ?? null,
      retry_after_ms: freesAtMs === undefined ? null : freesAtMs - nowMs,
    },
  }
}

function releaseUnusable(hold: string): Refusal {
  return {
    code: "approval_required",
    message:
      "The release of this hold can't be used: it was used, has expired, or is another request's; ask again.",
    data: { hold, expires_at: null },
  }
}

function tooFast(retryAfterMs: number): Refusal {
  return {
    code: "signer_pace",
    message:
      "This signer's next nonce would lie too far ahead of the clock: at most one request a millisecond lasts; try again a little later.",
    data: { retry_after_ms: retryAfterMs },
  }
}

/** Work that has begun and may not have ended. */
export type UnderWay = {
  /** Follows a piece of work to its end. */
  follow<Output>(work: Promise<Output>): Promise<Output>
  /** Resolves when all that has begun by now has ended, and who waited for it has gone on. */
  ended(): Promise<void>
}

/** Starts with nothing under way. */
export function openUnderWay(): UnderWay {
  const works = new Set<Promise<unknown>>()
  return {
    follow(work) {
      works.add(work)
      const forget = (): boolean => works.delete(work)
      work.then(forget, forget)
      return work
    },
    async ended() {
      await Promise.allSettled([...works])
      await turnEnded()
    },
  }
}
