import type { Address } from "../../venue/address.ts"
import type { Lane } from "../../venue/payload/payload.ts"
import type { Claim } from "../policy/terms/claim.ts"
import { type Clock, type LedgerTime, openSteadyTime } from "../process/clock.ts"
import { followAct, storedBindings, type Bindings } from "./bindings.ts"
import { openHoldBook, type HoldBook } from "./hold-book.ts"
import { openLimits, type Limits, type Past } from "./meters/limits.ts"
import { isAboutHold } from "./records/act-row.ts"
import { nonceCycle, type NonceShare } from "./records/nonce-share.ts"
import { readHold } from "./records/read-settings.ts"
import type { ActRow, RequestRow } from "./records/row.ts"
import type { OpenedState } from "./store/store.ts"

/**
 * All that decisions depend on besides files and keys. Rows drive it, and nothing else does: what is followed
 * here in the turn that appends a row is what a start reads from the store, and what a replay of the rows gives.
 */
export type LedgerState = {
  readonly nonces: Nonces
  readonly limits: Limits
  readonly holds: HoldBook
  readonly bindings: () => Bindings
  /** Counts a request whose row is appended in this turn, with the claims that its limits make of it. */
  took(row: RequestRow, claims: readonly Claim[]): void
  /** As `took`, of another host's request: its limits are built from its row. */
  followed(row: RequestRow): void
  /** Follows an act whose row is appended in this turn. */
  acted(row: ActRow): void
}

type Start = {
  readonly past: Past
  readonly clock: Pick<Clock, "nowMs" | "monotonicMs">
  readonly startMs: LedgerTime
  readonly nonces?: NonceShare | undefined
}

/** Goes on from what a store has. `limits` count nothing before their first replacement. */
export function openState(stored: OpenedState, start: Start): LedgerState {
  const { past, clock } = start
  let bindings = storedBindings(stored)
  const nonces = openNonces(start, stored.lastNonces)
  const limits = openLimits(past, clock)
  const holds = openHoldBook(stored.holds.map(readHold))
  const used = (row: RequestRow): void => {
    nonces.used(row.signer, row.nonce)
    if (row.release !== undefined) holds.use(row.release)
  }
  return {
    nonces,
    limits,
    holds,
    bindings: () => bindings,
    took(row, claims) {
      limits.count(claims, row)
      used(row)
    },
    followed(row) {
      limits.follow(row)
      used(row)
      // Its host's clock may have been ahead: the pace goes on from there.
      if (row.isolated === true) nonces.raise(row.signer, row.nonce)
    },
    acted(row) {
      if (isAboutHold(row)) holds.follow(row)
      else bindings = followAct(bindings, row)
    },
  }
}

/** How far a nonce may lie ahead of the clock. The last 250 ms are kept for what reduces risk: a signer has many bots. */
export const maxNonceLeadMs = { open: 1_000, reduce: 1_250, cancel: 1_250 } as const

export type NextNonce =
  | { readonly kind: "next"; readonly nonce: number }
  | { readonly kind: "too_fast"; readonly retryAfterMs: number }

/** Hands out nonces. Each is above all earlier ones of its signer, whatever the clock does. */
export type Nonces = {
  /** The last one that was taken. */
  last(signer: Address): number | undefined
  /** Every nonce of the signer is above `floor` from now on. */
  raise(signer: string, floor: number): void
  /** The one that the signer's next request has. Not used until `used` says so. */
  next(signer: Address, nowMs: LedgerTime, lane: Lane): NextNonce
  /** A request whose row is appended in this turn has it. */
  used(signer: string, nonce: number): void
}

/**
 * Goes on from the last durable nonces: max(now, last + 1) for each signer, or the next of this host's share.
 *
 * The pace is measured by the highest time seen, carried on by the monotonic clock, and not by wall time
 * itself: a clock that was set back would otherwise stop a signer until it caught up.
 */
export function openNonces(
  { clock, startMs, nonces: share = { first: 0, last: nonceCycle - 1 } }: Omit<Start, "past">,
  lastNonces: ReadonlyMap<string, number>,
): Nonces {
  const last = new Map<string, number>()
  const steady = openSteadyTime(clock, startMs)

  function raise(signer: string, floor: number): void {
    if (floor === 0) return // nothing was ever signed, or it was raised before
    last.set(signer, Math.max(floor, last.get(signer) ?? 0))
    // Further ahead than orders run: the clock was set back since, or a mark was written ahead of need.
    if (floor - steady.now() > maxNonceLeadMs.open) steady.at(floor)
  }

  for (const [signer, nonce] of lastNonces) raise(signer, nonce)
  return {
    last: (signer) => last.get(signer),
    raise,
    next(signer, nowMs, lane) {
      const nonce = inShare(Math.max(nowMs, (last.get(signer) ?? 0) + 1), share)
      const leadMs = nonce - steady.at(nowMs)
      if (leadMs > maxNonceLeadMs[lane]) {
        return { kind: "too_fast", retryAfterMs: leadMs - maxNonceLeadMs[lane] }
      }
      return { kind: "next", nonce }
    },
    used: (signer, nonce) => void last.set(signer, Math.max(nonce, last.get(signer) ?? 0)),
  }
}

/** The least nonce of a share that isn't below `least`. */
function inShare(least: number, { first, last }: NonceShare): number {
  const rest = least % nonceCycle
  if (rest < first) return least + first - rest
  return rest <= last ? least : least - rest + nonceCycle + first
}
