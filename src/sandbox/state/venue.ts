import { dayMs } from "../../std/time/duration.ts"
import type { Result } from "../../std/result.ts"
import type { Accounts, SettingsByAccount, Funds } from "./accounts.ts"
import { type Rejection, reject } from "./error-codes.ts"
import type { Body } from "./fields.ts"
import type { Ticker } from "./market.ts"
import { createRateLimiter, type RateLimiter } from "./rate-limiter.ts"
import { type Book, noRecords, type Records } from "./records.ts"
import type { Market } from "./market-state.ts"

/** All that the sandbox remembers. */
export type Venue = {
  readonly accounts: Accounts
  readonly nonces: NonceMemory
  readonly book: Book
  readonly funds: Funds
  readonly settings: SettingsByAccount
  readonly records: Records
  readonly limiter: RateLimiter
  /** Where there is one. Without it nothing is matched. */
  readonly market?: Market | undefined
}

/** The venue at the moment of one request. */
export type Turn = {
  readonly venue: Venue
  readonly nowMs: number
  /** The moment whose state reads show; now if left out. It is an earlier one where a market's reads lag. */
  readonly asOfMs?: number | undefined
  /** Never moves if left out. */
  readonly ticker?: Ticker | undefined
  /** Told of each write that was accepted, before its answer leaves. */
  readonly accepted?: (write: AcceptedWrite) => void
}

/** All that is needed to play a write a second time. */
export type AcceptedWrite = { readonly atMs: number; readonly path: string; readonly body: Body }

/** A turn of a write, with what it weighs for its rate-limit address. */
export type WriteTurn = Turn & { readonly addressWeight: number; readonly isCancel: boolean }

/** What an accepted request brought about: the envelope's `data`, and a few words for the log. */
export type Outcome = { readonly data: Readonly<Record<string, unknown>>; readonly note: string }

/** Plays one write endpoint. Its outcome's `data` has a `tx_hash`. */
export type Play = (body: Body, turn: WriteTurn) => Result<Outcome, Rejection>

/** Answers one read endpoint. */
export type Read = (query: URLSearchParams, turn: Turn) => Result<Outcome, Rejection>

/** A venue without orders. `accounts` are the addresses that may trade from the start. */
export function createVenue(accounts: readonly string[], isOpen = false): Venue {
  return {
    accounts: {
      isOpen,
      wallets: new Set(accounts.map((account) => account.toLowerCase())),
      agents: new Map(),
      subs: new Map(),
    },
    nonces: new Map(),
    book: { orders: new Map(), lastOrderNumber: 1_000_000 },
    funds: new Map(),
    settings: new Map(),
    records: noRecords(),
    limiter: createRateLimiter(),
  }
}

/** The nonces that each signer has used. Those at or below `floor` are forgotten, and refused. */
export type NonceMemory = Map<string, UsedNonces>
type UsedNonces = { readonly used: ReadonlySet<number>; readonly floor: number }

/** The window is invented: from two days ago to a day ahead, both included. */
const windowBeforeMs = 2 * dayMs
const windowAfterMs = dayMs
/** A signer's highest nonces that are always remembered. */
const keptNonces = 10_000

/** Refuses a nonce that its signer has used, or that is too far from now. */
export function checkNonce(
  memory: NonceMemory,
  { signer, nonce, nowMs }: { readonly signer: string; readonly nonce: number; nowMs: number },
): Rejection | undefined {
  const earlier = memory.get(signer)
  if (earlier?.used.has(nonce) === true) {
    return reject("nonce_repeated", "This signer has used this nonce before.").error
  }
  if (nonce < nowMs - windowBeforeMs || nonce > nowMs + windowAfterMs) {
    return reject("nonce_outside_window", "The nonce is over 2 days old or over 1 day ahead.").error
  }
  if (earlier !== undefined && nonce <= earlier.floor) {
    return reject("nonce_outside_window", "The nonce is older than those remembered.").error
  }
  return undefined
}

/** Marks a nonce as used. When too many are remembered, the lower half is forgotten below a new floor. */
export function rememberNonce(memory: NonceMemory, signer: string, nonce: number): void {
  const { used, floor } = memory.get(signer) ?? { used: new Set<number>(), floor: -1 }
  const grown = used as Set<number> // this file alone writes it
  grown.add(nonce)
  if (grown.size < 2 * keptNonces) {
    memory.set(signer, { used: grown, floor })
    return
  }
  const ascending = Array.from(grown).sort((left, right) => left - right)
  const forgotten = ascending.length - keptNonces
  memory.set(signer, {
    used: new Set(ascending.slice(forgotten)),
    floor: ascending[forgotten - 1] ?? floor,
  })
}
