import { ok, type Result } from "../std/result.ts"
import { playApproveAgent, playRenewAgent, playRevokeAgent } from "./account.ts"
import { errorCodes, reject, statusOf, type Rejection } from "./error-codes.ts"
import { isBody, type Body } from "./fields.ts"
import { readOpenOrders } from "./open-orders.ts"
import { playCancelAll, playCancelBatch, playCancelOrder, playPlaceOrder } from "./trade.ts"
import type { Outcome, Play, Turn } from "./venue.ts"

/** A request as it came in. */
export type VenueRequest = {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly contentType: string | undefined
  /** `undefined` when it was too long to be kept. */
  readonly body: Uint8Array | undefined
}

/** The venue's envelope, as the interface has it. */
export type Envelope = {
  readonly code: string
  readonly msg: string
  readonly data: Readonly<Record<string, unknown>>
  readonly trace_code: string
}

export type Reply = {
  readonly status: number
  readonly envelope: Envelope
  /** What happened, for the log. */
  readonly note: string
}

const plays: ReadonlyMap<string, Play> = new Map([
  ["/v1/trade/orders", playPlaceOrder],
  ["/v1/trade/orders/cancel", playCancelOrder],
  ["/v1/trade/orders/batch/cancel", playCancelBatch],
  ["/v1/trade/orders/cancel-all", playCancelAll],
  ["/v1/account/approve-agent", playApproveAgent],
  ["/v1/account/revoke-agent", playRevokeAgent],
  ["/v1/account/renew-agent", playRenewAgent],
])

const notPlayed: ReadonlySet<string> = new Set([
  "/v1/trade/orders/modify",
  "/v1/trade/orders/chase",
  "/v1/trade/orders/batch",
  "/v1/trade/orders/batch/modify",
  "/v1/account/position-mode",
  "/v1/account/leverage",
  "/v1/account/isolated-margin",
  "/v1/account/create-sub",
  "/v1/account/transfer",
  "/v1/account/withdraw",
])

const openOrdersPath = "/v1/trade/open-orders"
const jsonTypePattern = /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i

/** Plays the venue for one request. `traceCode` names the answer if it is an error. */
export function answerRequest(request: VenueRequest, turn: Turn, traceCode: string): Reply {
  const outcome = play(request, turn)
  return outcome.ok ? success(outcome.value) : failure(outcome.error, traceCode)
}

/** The answer that says no. */
export function failure({ name, msg }: Rejection, traceCode: string): Reply {
  return {
    status: statusOf(name),
    envelope: { code: errorCodes[name], msg, data: {}, trace_code: traceCode },
    note: `${name}: ${msg}`,
  }
}

function success({ data, note }: Outcome): Reply {
  return { status: 200, envelope: { code: "0", msg: "", data, trace_code: "" }, note }
}

function play(request: VenueRequest, turn: Turn): Result<Outcome, Rejection> {
  const { method, path } = request
  const playWrite = plays.get(path)
  const rightMethod = path === openOrdersPath ? "GET" : "POST"
  if (path !== openOrdersPath && playWrite === undefined && !notPlayed.has(path)) {
    return reject("unknown_path", "The sandbox has no such path.")
  }
  if (method !== rightMethod) {
    return reject("method_not_allowed", `This path takes ${rightMethod} alone.`)
  }
  return path === openOrdersPath ? read(request, turn) : write(request, turn, playWrite)
}

function read({ query }: VenueRequest, { venue }: Turn): Result<Outcome, Rejection> {
  const page = readOpenOrders(venue, query)
  return page.ok ? ok({ data: page.value, note: `${page.value.list.length} orders` }) : page
}

function write(
  request: VenueRequest,
  turn: Turn,
  playWrite: Play | undefined,
): Result<Outcome, Rejection> {
  if (playWrite === undefined) {
    return reject("not_played", "The sandbox doesn't play this endpoint.")
  }
  const body = readBody(request)
  return body.ok ? playWrite(body.value, turn) : body
}

function readBody({ contentType, body }: VenueRequest): Result<Body, Rejection> {
  if (contentType === undefined || !jsonTypePattern.test(contentType)) {
    return reject("not_json", "The content type must be application/json.")
  }
  if (body === undefined) return reject("body_too_large", "The body must be at most 64 KiB.")
  const value = parse(body)
  return isBody(value) ? ok(value) : reject("not_json", "The body must be a JSON object in UTF-8.")
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body))
  } catch {
    return undefined // not UTF-8, or not JSON
  }
}
