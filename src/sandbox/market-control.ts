import { err, ok, type Result } from "../std/result.ts"
import { failure, readBody, success, type Reply, type VenueRequest } from "./answer-request.ts"
import { checkOrderFields, checkOrderRules } from "./order-rules.ts"
import { isAccount } from "./state/accounts.ts"
import { reject, type Rejection } from "./state/error-codes.ts"
import { address, checkFields, checkRequired, isBody, object, type Body } from "./state/fields.ts"
import { readNumber } from "./state/records.ts"
import type { Outcome, Venue } from "./state/venue.ts"
import { placeInMarket } from "./market/play-order.ts"
import { advanceMarket } from "./market/seconds.ts"
import { eventsAfter, truthOf } from "./market/truth.ts"
import type { Market } from "./state/market-state.ts"

/** The sandbox's own, and no venue's, as `/__sandbox/fault` is: the truth, and orders of a stranger's hand. */
export const marketControlPaths = {
  market: "/__sandbox/market",
  events: "/__sandbox/market/events",
} as const

/** Whether a path is one of these. */
export function isMarketControl(path: string): boolean {
  return Object.values<string>(marketControlPaths).includes(path)
}

/** GET tells the truth; POST to the first path places an order for an account that nobody signed. */
export function controlMarket(
  request: VenueRequest,
  { venue, nowMs }: { readonly venue: Venue; readonly nowMs: number },
  traceCode: string,
): Reply {
  const done = control(request, venue, nowMs)
  return done.ok ? success(done.value) : failure(done.error, traceCode)
}

function control(request: VenueRequest, venue: Venue, nowMs: number): Result<Outcome, Rejection> {
  const { market } = venue
  if (market === undefined) return reject("unknown_path", "The sandbox has no market.")
  advanceMarket(market, nowMs)
  const isEvents = request.path === marketControlPaths.events
  if (request.method === "GET") {
    return isEvents
      ? readEvents(market, request.query)
      : ok({ data: truthOf(market, accountsOf(venue), nowMs), note: "the truth" })
  }
  if (request.method !== "POST" || isEvents) {
    return reject("method_not_allowed", "This path takes another method.")
  }
  // The content type that is asked for here keeps out web pages, which can't send it unasked.
  const body = readBody(request)
  return body.ok ? placeForeign(market, venue, { body: body.value, nowMs }) : body
}

function readEvents(market: Market, query: URLSearchParams): Result<Outcome, Rejection> {
  const after = readNumber(query.get("after"), 0)
  if (after === undefined) return reject("invalid_query", "after must be the number of an event.")
  const events = eventsAfter(market, after)
  return ok({ data: events, note: `${events.list.length} events` })
}

function accountsOf({ accounts: { wallets, subs } }: Venue): readonly string[] {
  return [...wallets, ...subs.keys()]
}

function placeForeign(
  market: Market,
  { accounts }: Venue,
  { body, nowMs }: { readonly body: Body; readonly nowMs: number },
): Result<Outcome, Rejection> {
  const misfit =
    checkRequired(body, ["account_address", "order"]) ??
    checkFields(body, { account_address: address, order: object })
  if (misfit !== undefined) return err(misfit)
  const account = String(body["account_address"]).toLowerCase()
  if (!isAccount(accounts, account)) {
    return reject("unknown_account", "account_address must be an account's.")
  }
  const order = isBody(body["order"]) ? body["order"] : {}
  const refused = checkOrderFields(order) ?? checkOrderRules(order)
  if (refused !== undefined) return err(refused)
  const placed = placeInMarket(market, order, { account, nowMs })
  if (!placed.ok) return placed
  const { order_id, state } = placed.value
  return ok({ data: placed.value, note: `foreign order ${order_id} ${state}` })
}
