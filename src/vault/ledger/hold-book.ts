import { isDeepStrictEqual } from "node:util"

import { Fault } from "../../std/fault.ts"
import { sha256Hex } from "../../std/sha256.ts"
import { type LedgerTime, recordedTime } from "../process/clock.ts"
import { mayTakeOne } from "./may-take-one.ts"
import { actRow } from "./records/entries.ts"
import { holdSchema, type Hold, type HoldAsk, type HoldBinding } from "./records/hold.ts"
import { makeHoldId } from "./records/record-id.ts"
import type { ActRow, RowOf } from "./records/row.ts"
import { maxEndedHolds } from "./store/store.ts"

/** How many holds may wait for a person at a time, of all clients. */
export const maxPendingHolds = 1_000

/** Requests that wait for a person, in memory: what the rows say of them. Goes on with the holds that are in the ledger. */
export function openHoldBook(stored: readonly Hold[]) {
  const book: Book = new Map(stored.map((hold) => [hold.hold, hold]))
  const change = (id: string, changes: Pick<Hold, "state"> & Partial<Hold>): void => {
    const hold = book.get(id)
    if (hold !== undefined) book.set(id, { ...hold, ...changes })
  }
  return {
    /** The one of this very request that waits for a person. */
    pending: (binding: HoldBinding, nowMs: LedgerTime) =>
      find(book, binding, { state: "pending", nowMs }),
    /** Whether the client may have one more that waits. */
    hasRoom: (client: string, nowMs: LedgerTime) =>
      mayTakeOne(client, pendingIn(book, nowMs), maxPendingHolds),
    /** The hold whose release the request may use. */
    findRelease: (binding: HoldBinding, nowMs: LedgerTime) =>
      find(book, binding, { state: "released", nowMs })?.hold,
    /** All that are pending or released, and those that ended last; oldest first. */
    list: (nowMs: LedgerTime) => [...book.values()].map((hold) => asOf(hold, nowMs)),
    /** @throws {Fault} `name_unknown`, `usage` when it isn't pending. */
    assertPending: (id: string, nowMs: LedgerTime) => assertPending(book.get(id), nowMs),
    /** Whether the hold was released for this very request and can still be used. */
    mayUse(id: string, binding: HoldBinding, nowMs: LedgerTime): boolean {
      const hold = book.get(id)
      if (hold === undefined || asOf(hold, nowMs).state !== "released") return false
      return isDeepStrictEqual(bindingOf(hold), bindingOf(binding))
    },
    /** Uses a release up. */
    use: (id: string) => change(id, { state: "used" }),
    /** Follows an act, which may be about a hold. */
    follow(row: ActRow): void {
      if (row.act === "hold_opened") {
        forgetEnded(book, recordedTime(row.at_ms))
        const opened = { opened_at: row.at_ms, state: "pending", decided_by: null } as const
        book.set(row.hold, { ...holdSchema.parse(row), ...opened })
      }
      if (row.act === "hold_released") change(row.hold, { state: "released", decided_by: row.by })
      if (row.act === "hold_granted") change(row.hold, { state: "granted", decided_by: row.by })
      if (row.act === "hold_refused") change(row.hold, { state: "refused", decided_by: row.by })
    },
  }
}

type Book = Map<string, Hold>

function find(
  book: Book,
  binding: HoldBinding,
  { state, nowMs }: { readonly state: Hold["state"]; readonly nowMs: LedgerTime },
): Hold | undefined {
  const wanted = bindingOf(binding)
  return book
    .values()
    .find((hold) => asOf(hold, nowMs).state === state && isDeepStrictEqual(bindingOf(hold), wanted))
}

/** A hold ends at `expires_at`: it is open only while the time is below that. */
function asOf(hold: Hold, nowMs: LedgerTime): Hold {
  const isOpen = hold.state === "pending" || hold.state === "released"
  return isOpen && nowMs >= hold.expires_at ? { ...hold, state: "expired" } : hold
}

function bindingOf({ client, key, operation, target, body }: HoldBinding): HoldBinding {
  return { client, key, operation, target, body }
}

function isEnded({ state }: Hold): boolean {
  return state !== "pending" && state !== "released"
}

function forgetEnded(book: Book, nowMs: LedgerTime): void {
  const ended = [...book].filter(([, hold]) => isEnded(asOf(hold, nowMs)))
  for (const [id] of ended.slice(0, -maxEndedHolds)) book.delete(id)
}

function pendingIn(book: Book, nowMs: LedgerTime): Iterable<Hold> {
  return book.values().filter((hold) => asOf(hold, nowMs).state === "pending")
}

/** @throws {Fault} `name_unknown`, `usage` when it isn't pending. */
export function assertPending(hold: Hold | undefined, nowMs: LedgerTime): asserts hold is Hold {
  if (hold === undefined) throw noHold()
  const { state } = asOf(hold, nowMs)
  if (state === "pending") return
  throw new Fault(
    "usage",
    `Too late: this hold is ${state} already, so it can't be decided any more.`,
  )
}

export function noHold(): Fault {
  return new Fault(
    "name_unknown",
    "There is no hold with this id; countersign held list shows them.",
  )
}

/** The row that opens a hold. */
export function holdRow(ask: HoldAsk, nowMs: LedgerTime): RowOf<"hold_opened"> {
  const [hold, body_hash] = [makeHoldId(nowMs), sha256Hex(ask.body)]
  return actRow({ act: "hold_opened", hold, ...ask, body_hash }, nowMs)
}
