import type { Accounts } from "./accounts.ts"
import type { Book } from "./book.ts"
import type { Rejection } from "./error-codes.ts"
import type { Body } from "./fields.ts"
import type { NonceMemory } from "./nonces.ts"
import type { Result } from "../std/result.ts"

/** All that the sandbox remembers. It is gone when the sandbox ends. */
export type Venue = {
  readonly accounts: Accounts
  readonly nonces: NonceMemory
  readonly book: Book
}

/** The venue at the moment of one request. */
export type Turn = { readonly venue: Venue; readonly nowMs: number }

/** What an accepted request brought about: the envelope's `data`, and a few words for the log. */
export type Outcome = { readonly data: Readonly<Record<string, unknown>>; readonly note: string }

/** Plays one write endpoint. */
export type Play = (body: Body, turn: Turn) => Result<Outcome, Rejection>

/** A venue without orders. `accounts` are the addresses that may trade from the start. */
export function createVenue(accounts: readonly string[]): Venue {
  return {
    accounts: {
      wallets: new Set(accounts.map((account) => account.toLowerCase())),
      agents: new Map(),
    },
    nonces: new Map(),
    book: { orders: new Map(), lastOrderNumber: 1_000_000 },
  }
}
