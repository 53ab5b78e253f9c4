import { createRateLimiter } from "./state/rate-limiter.ts"
import { noRecords } from "./state/records.ts"
import type { Venue } from "./state/turn.ts"

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
