import type { Claim } from "../policy/terms.ts"
import type { Clock, LedgerTime } from "../process/clock.ts"
import { bindingsOf } from "./bindings.ts"
import { openHoldBook } from "./hold-book.ts"
import { openLimits } from "./meters/limits.ts"
import type { ActRow, RequestRow } from "./records/row.ts"
import { changesOf, withChanges } from "./records/standing.ts"
import { openNonces } from "./signers/nonces.ts"
import type { LedgerStore, OpenedState } from "./store/store.ts"

type Start = {
  readonly store: LedgerStore
  readonly clock: Pick<Clock, "nowMs" | "monotonicMs">
  readonly startMs: LedgerTime
}

/**
 * All that decisions depend on besides files and keys. Rows drive it, and nothing else does: what is followed
 * here in the turn that appends a row is what a start reads from the store, and what a replay of the rows gives.
 *
 * Goes on from what a store has. `limits` count nothing before their first replacement.
 */
export function openState(stored: OpenedState, start: Start) {
  let standing = stored.standing
  let bindings = bindingsOf(standing)
  const nonces = openNonces({ ...start, nonces: start.store.nonces }, stored.lastNonces)
  const limits = openLimits(start, stored.ever)
  const holds = openHoldBook(stored.holds)
  const used = (row: RequestRow): void => {
    nonces.used(row)
    if (row.release !== undefined) holds.use(row.release)
    if (row.grant !== undefined) standing = withChanges(standing, changesOf(row, standing))
  }
  return {
    nonces,
    limits,
    holds,
    bindings: () => bindings,
    /** In the order in which they were given. */
    grants: () => standing.grants.values(),
    /** Counts a request whose row is appended in this turn, with the claims that its limits make of it. */
    took(row: RequestRow, claims: readonly Claim[]): void {
      limits.count(claims, row)
      used(row)
    },
    /** As `took`, of another host's request: its limits are built from its row. */
    followed(row: RequestRow): void {
      limits.follow(row)
      used(row)
    },
    /** Follows an act whose row is appended in this turn. */
    acted(row: ActRow): void {
      holds.follow(row)
      const changes = changesOf(row, standing)
      if (changes.length === 0) return // the bindings stay the very same: no set is made anew for it
      standing = withChanges(standing, changes)
      bindings = bindingsOf(standing)
    },
  }
}
