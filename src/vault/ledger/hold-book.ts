import { isDeepStrictEqual } from "node:util"

import type { Refusal } from "../../link/views/refusal.ts"
import { Fault } from "../../std/fault.ts"
import { err, ok, type Result } from "../../std/result.ts"
import type { LedgerTime } from "../process/clock.ts"
import type { Ledger } from "./ledger.ts"
import { mayTakeOne } from "./may-take-one.ts"
import { hashBody, type Hold, type HoldAsk, type HoldBinding } from "./records/hold.ts"
import { makeHoldId, makeRecordId } from "./records/record-id.ts"
import type { Act, ActRow } from "./records/row.ts"
import type { CommitQueue } from "./store/commit-queue.ts"
import { maxEndedHolds } from "./store/opened-state.ts"

/** How many holds may wait for a person at a time, of all clients. */
export const maxPendingHolds = 1_000

/** Requests that wait for a person, in memory; every change is queued in the turn in which it is made. */
export type HoldBook = {
  readonly open: Ledger["openHold"]
  readonly findRelease: Ledger["findRelease"]
  readonly decide: Ledger["decideHold"]
  readonly list: Ledger["holds"]
  /** Whether the hold was released for this very request and can still be used. */
  mayUse(id: string, binding: HoldBinding, nowMs: LedgerTime): boolean
  /** Uses a release up. The request that uses it is queued in the same turn. */
  use(id: string): void
}

/** A hold whose opening, and nothing but it, may still be on its way to the disk. */
type Kept = { hold: Hold; readonly durable: Promise<unknown> }

/** Goes on with the holds that are in the ledger. */
export function openHoldBook(queue: CommitQueue, stored: readonly Hold[]): HoldBook {
  const book: Book = new Map(stored.map((hold) => [hold.id, { hold, durable: Promise.resolve() }]))
  return {
    open: (ask, nowMs) => openHold({ book, queue }, ask, nowMs),
    findRelease: (binding, nowMs) => find(book, binding, { state: "released", nowMs })?.hold.id,
    async decide(id, { to, by }, nowMs) {
      queue.assertOpen()
      const kept = pendingOf(book, id, nowMs)
      kept.hold = { ...kept.hold, state: to, decidedBy: by }
      await queue.run({ kind: "write", row: actRow({ act: `hold_${to}`, hold: id, by }, nowMs) })
    },
    list: (nowMs) => [...book.values()].map(({ hold }) => asOf(hold, nowMs)),
    mayUse(id, binding, nowMs) {
      const hold = book.get(id)?.hold
      if (hold === undefined || asOf(hold, nowMs).state !== "released") return false
      return isDeepStrictEqual(bindingOf(hold), bindingOf(binding))
    },
    use(id) {
      const kept = book.get(id)
      if (kept !== undefined) kept.hold = { ...kept.hold, state: "used" }
    },
  }
}

type Book = Map<string, Kept>

async function openHold(
  { book, queue }: { readonly book: Book; readonly queue: CommitQueue },
  ask: HoldAsk,
  nowMs: LedgerTime,
): Promise<Result<Hold, Refusal>> {
  queue.assertOpen()
  const earlier = find(book, ask, { state: "pending", nowMs })
  if (earlier !== undefined) {
    await earlier.durable
    return ok(asOf(earlier.hold, nowMs))
  }
  forgetEnded(book, nowMs)
  if (!mayTakeOne(ask.client, pending(book, nowMs), maxPendingHolds)) return err(tooMany())
  const hold = newHold(ask, nowMs)
  const durable = queue.run({ kind: "write", row: openedRow(hold) })
  book.set(hold.id, { hold, durable })
  await durable
  return ok(hold)
}

function find(
  book: Book,
  binding: HoldBinding,
  { state, nowMs }: { readonly state: Hold["state"]; readonly nowMs: LedgerTime },
): Kept | undefined {
  const wanted = bindingOf(binding)
  return book
    .values()
    .find(
      ({ hold }) => asOf(hold, nowMs).state === state && isDeepStrictEqual(bindingOf(hold), wanted),
    )
}

/** A hold ends at `expiresAtMs`: it is open only while the time is below that. */
function asOf(hold: Hold, nowMs: LedgerTime): Hold {
  const isOpen = hold.state === "pending" || hold.state === "released"
  return isOpen && nowMs >= hold.expiresAtMs ? { ...hold, state: "expired" } : hold
}

function bindingOf({ client, key, operation, target, body }: HoldBinding): HoldBinding {
  return { client, key, operation, target, body }
}

function isEnded({ state }: Hold): boolean {
  return state !== "pending" && state !== "released"
}

function forgetEnded(book: Book, nowMs: LedgerTime): void {
  const ended = [...book].filter(([, { hold }]) => isEnded(asOf(hold, nowMs)))
  for (const [id] of ended.slice(0, -maxEndedHolds)) book.delete(id)
}

function pending(book: Book, nowMs: LedgerTime): Iterable<Hold> {
  const holds = book.values().map(({ hold }) => hold)
  return holds.filter((hold) => asOf(hold, nowMs).state === "pending")
}

function pendingOf(book: Book, id: string, nowMs: LedgerTime): Kept {
  const kept = book.get(id)
  if (kept === undefined) {
    throw new Fault(
      "name_unknown",
      "There is no hold with this id; countersign held list shows them.",
    )
  }
  const { state } = asOf(kept.hold, nowMs)
  if (state === "pending") return kept
  throw new Fault("usage", `This hold is ${state} already, so it can't be decided any more.`)
}

function newHold(ask: HoldAsk, nowMs: LedgerTime): Hold {
  return {
    ...bindingOf(ask),
    policy: ask.policy,
    rule: ask.rule,
    worst: ask.worst,
    expiresAtMs: ask.expiresAtMs,
    id: makeHoldId(nowMs),
    bodyHash: hashBody(ask.body),
    openedAtMs: nowMs,
    state: "pending",
    decidedBy: null,
  }
}

function openedRow(hold: Hold): ActRow {
  const act: Act = {
    act: "hold_opened",
    hold: hold.id,
    client: hold.client,
    key: hold.key,
    operation: hold.operation,
    target: hold.target,
    body_hash: hold.bodyHash,
    body: hold.body,
    policy: hold.policy,
    rule: hold.rule,
    worst: hold.worst,
    expires_at: hold.expiresAtMs,
  }
  return actRow(act, hold.openedAtMs)
}

function actRow(act: Act, nowMs: number): ActRow {
  return { kind: "act", id: makeRecordId(nowMs), at_ms: nowMs, ...act }
}

function tooMany(): Refusal {
  return {
    code: "overloaded",
    message:
      "As many requests of this client as may wait for a person do so already; try again when some are decided.",
    data: null,
  }
}
