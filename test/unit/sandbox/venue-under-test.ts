import assert from "node:assert/strict"

import { answerRequest, type Envelope, type Reply } from "../../../src/sandbox/answer-request.ts"
import { errorCodes, type ErrorName } from "../../../src/sandbox/state/error-codes.ts"
import type { RateLimiter } from "../../../src/sandbox/state/rate-limiter.ts"
import { createMarket } from "../../../src/sandbox/market/market.ts"
import { createVenue, type Venue } from "../../../src/sandbox/state/venue.ts"
import { nowMs, wallet, type Fields } from "./signed-bodies.ts"
import type { Market, PricePath } from "../../../src/sandbox/state/market-state.ts"

export type VenueUnderTest = {
  readonly clock: { nowMs: number }
  readonly limiter: RateLimiter
  readonly post: (path: string, body: Fields) => Reply
  readonly get: (pathAndQuery: string) => Reply
}

/** A sandbox without its server. `wallet` is an account unless `accounts` says otherwise. */
export function venueUnderTest(accounts: readonly string[] = [wallet.address]): VenueUnderTest {
  return underTest(createVenue(accounts))
}

export type MarketUnderTest = VenueUnderTest & { readonly market: Market; readonly venue: Venue }

/** The same with a market, which begins at `nowMs` and whose prices go along `path`. */
export function marketUnderTest(
  path: PricePath,
  { seed = 7, accounts = [wallet.address] }: { seed?: number; accounts?: readonly string[] } = {},
): MarketUnderTest {
  const bare = createVenue(accounts)
  const market = createMarket({ ...bare, path, seed, startMs: nowMs, say: () => undefined })
  const venue = { ...bare, market }
  return { ...underTest(venue), market, venue }
}

function underTest(venue: Venue): VenueUnderTest {
  const clock = { nowMs }
  const answer = (method: string, pathAndQuery: string, body: string): Reply => {
    const [path = "", query = ""] = pathAndQuery.split("?")
    const request = {
      method,
      path,
      ip: "127.0.0.1",
      query: new URLSearchParams(query),
      contentType: "application/json",
      body: Buffer.from(body),
    }
    return answerRequest(request, { venue, nowMs: clock.nowMs }, "trace-1")
  }
  return {
    clock,
    limiter: venue.limiter,
    post: (path, body) => answer("POST", path, JSON.stringify(body)),
    get: (pathAndQuery) => answer("GET", pathAndQuery, ""),
  }
}

/** Checks a success and returns its data. */
export function accepted({ status, envelope }: Reply): Envelope["data"] {
  assert.deepEqual({ status, ...envelope, data: {} }, successWithoutDetail)
  return envelope.data
}

/** Checks that a reply is the rejection `name`. */
export function rejected({ status, envelope }: Reply, name: ErrorName): void {
  assert.equal(envelope.code, errorCodes[name], envelope.msg)
  assert.equal(status, name === "unknown_path" ? 404 : 400)
  assert.deepEqual(envelope.data, {})
  assert.match(envelope.msg, /^[^\n]+\.$/)
  assert.equal(envelope.trace_code, "trace-1")
}

/** Checks that a reply says that a budget is spent, in the interface's words. */
export function overBudget({ status, envelope }: Reply, scope: "address" | "ip"): void {
  assert.deepEqual(
    { status, ...envelope },
    {
      status: 429,
      code: "10029",
      msg: "Rate limit exceeded",
      data: { scope },
      trace_code: "trace-1",
    },
  )
}

const successWithoutDetail = { status: 200, code: "0", msg: "", data: {}, trace_code: "" }
