import type { Result } from "../../std/result.ts"
import type { Accounts, SettingsByAccount, Funds } from "./accounts.ts"
import type { Rejection } from "./error-codes.ts"
import type { Body } from "./fields.ts"
import type { Ticker } from "./market.ts"
import type { NonceMemory } from "./nonces.ts"
import { createRateLimiter, type RateLimiter } from "./rate-limiter.ts"
import { type Book, noRecords, type Records } from "./records.ts"

/** All that the sandbox remembers. */
export type Venue = {
  readonly accounts: Accounts
  readonly nonces: NonceMemory
  readonly book: Book
  readonly funds: Funds
  readonly settings: SettingsByAccount
  readonly records: Records
  readonly limiter: RateLimiter
}

/** The venue at the moment of one request. */
export type Turn = {
  readonly venue: Venue
  readonly nowMs: number
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
export function createVenue(accounts: readonly string[]): Venue {
  return {
    accounts: {
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
