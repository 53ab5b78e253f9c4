import { ok, type Result } from "../std/result.ts"
import {
  playApproveAgent,
  playCreateSub,
  playIsolatedMargin,
  playLeverage,
  playPositionMode,
  playRenewAgent,
  playRevokeAgent,
  playTransfer,
  playWithdraw,
} from "./account-operations.ts"
import { marketReads } from "./market-reads.ts"
import { advanceMarket } from "./market/seconds.ts"
import {
  playCancelAll,
  playCancelBatch,
  playCancelOrder,
  playChaseOrder,
  playModifyBatch,
  playModifyOrder,
  playPlaceBatch,
  playPlaceOrder,
} from "./orders.ts"
import {
  readAgents,
  readBalances,
  readExecutions,
  readOpenOrders,
  readOrderHistory,
  readPaths,
  readSettings,
  readSubAccounts,
  readSymbols,
  readTicker,
  readTransactions,
} from "./reads.ts"
import {
  detailOf,
  errorCodes,
  overBudget,
  reject,
  type Rejection,
  statusOf,
} from "./state/error-codes.ts"
import { type Body, isBody } from "./state/fields.ts"
import { rememberNonce, type Outcome, type Turn, type Play, type Read } from "./state/venue.ts"
import { recordTransaction } from "./state/records.ts"

/** A request as it came in. */
export type VenueRequest = {
  readonly method: string
  readonly path: string
  /** Whose IP budget it weighs on. */
  readonly ip: string
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

const jsonTypePattern = /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i

/** Plays the venue for one request, and what a market did until then. `traceCode` names the answer if it is an error. */
export function answerRequest(request: VenueRequest, turn: Turn, traceCode: string): Reply {
  if (turn.venue.market !== undefined) advanceMarket(turn.venue.market, turn.nowMs)
  const outcome = answer(request, turn)
  return outcome.ok ? success(outcome.value) : failure(outcome.error, traceCode)
}

/** The answer that says no. */
export function failure({ name, msg }: Rejection, traceCode: string): Reply {
  return {
    status: statusOf(name),
    envelope: { code: errorCodes[name], msg, data: detailOf(name), trace_code: traceCode },
    note: `${name}: ${msg}`,
  }
}

/** The answer that says yes. */
export function success({ data, note }: Outcome): Reply {
  return { status: 200, envelope: { code: "0", msg: "", data, trace_code: "" }, note }
}

function answer(request: VenueRequest, turn: Turn): Result<Outcome, Rejection> {
  const { method, path, query, ip } = request
  const verdict = turn.venue.limiter.take({
    ip,
    ipWeight: ipWeight(method, path),
    address: undefined, // that of a write is known once its signature holds
    addressWeight: 0,
    isCancel: false,
    nowMs: turn.nowMs,
  })
  if (!verdict.ok) return overBudget(verdict.scope)
  const read = readAt(path, turn)
  const rightMethod = read === undefined ? "POST" : "GET"
  if (read === undefined && !writeEndpoints.has(path)) {
    return reject("unknown_path", "The sandbox has no such path.")
  }
  if (method !== rightMethod) {
    return reject("method_not_allowed", `This path takes ${rightMethod} alone.`)
  }
  return read === undefined ? write(request, turn) : read(query, turn)
}

function readAt(path: string, { venue }: Turn): Read | undefined {
  return readEndpoints.get(path) ?? (venue.market && marketReads.get(path))
}

function write(request: VenueRequest, turn: Turn): Result<Outcome, Rejection> {
  const body = readBody(request)
  if (!body.ok) return body
  const { path } = request
  const outcome = playWrite(path, body.value, turn)
  if (outcome.ok) turn.accepted?.({ atMs: turn.nowMs, path, body: body.value })
  return outcome
}

/** Reads a body that must be a JSON object. */
export function readBody({ contentType, body }: VenueRequest): Result<Body, Rejection> {
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

/** Plays a write whose body is JSON. What is accepted uses its nonce up and becomes a transaction. */
export function playWrite(path: string, body: Body, turn: Turn): Result<Outcome, Rejection> {
  const endpoint = writeEndpoints.get(path)
  if (endpoint === undefined) return reject("unknown_path", "The sandbox has no such path.")
  const addressWeight = endpoint.weight(body)
  const isCancel = cancelPaths.includes(path)
  const outcome = endpoint.play(body, { ...turn, addressWeight, isCancel })
  if (!outcome.ok) return outcome

  const { venue, nowMs } = turn
  const signer = String(body["signer_address"]).toLowerCase()
  const nonce = Number(body["nonce"])
  rememberNonce(venue.nonces, signer, nonce)
  recordTransaction(venue.records, {
    tx_hash: String(outcome.value.data["tx_hash"]),
    signer_address: signer,
    path,
    nonce,
    record_time: nowMs,
  })
  return outcome
}

// All that the sandbox answers: the interface's write endpoints with their weights, and invented reads.

type WriteEndpoint = { readonly play: Play; readonly weight: AddressWeight }

/** The interface's write endpoints, all POST. */
export const writeEndpoints: ReadonlyMap<string, WriteEndpoint> = new Map([
  ["/v1/trade/orders", { play: playPlaceOrder, weight: flat(1) }],
  ["/v1/trade/orders/modify", { play: playModifyOrder, weight: flat(1) }],
  ["/v1/trade/orders/cancel", { play: playCancelOrder, weight: flat(1) }],
  ["/v1/trade/orders/chase", { play: playChaseOrder, weight: flat(1) }],
  ["/v1/trade/orders/batch", { play: playPlaceBatch, weight: perItem("orders") }],
  ["/v1/trade/orders/batch/modify", { play: playModifyBatch, weight: perItem("orders") }],
  ["/v1/trade/orders/batch/cancel", { play: playCancelBatch, weight: perItem("order_ids") }],
  ["/v1/trade/orders/cancel-all", { play: playCancelAll, weight: flat(5) }],
  ["/v1/account/position-mode", { play: playPositionMode, weight: flat(40) }],
  ["/v1/account/leverage", { play: playLeverage, weight: flat(2) }],
  ["/v1/account/isolated-margin", { play: playIsolatedMargin, weight: flat(2) }],
  ["/v1/account/approve-agent", { play: playApproveAgent, weight: flat(40) }],
  ["/v1/account/revoke-agent", { play: playRevokeAgent, weight: flat(40) }],
  ["/v1/account/renew-agent", { play: playRenewAgent, weight: flat(40) }],
  ["/v1/account/create-sub", { play: playCreateSub, weight: flat(40) }],
  ["/v1/account/transfer", { play: playTransfer, weight: flat(40) }],
  ["/v1/account/withdraw", { play: playWithdraw, weight: flat(40) }],
])

/** Those that the cancel reserve is for. */
const cancelPaths: readonly string[] = [
  "/v1/trade/orders/cancel",
  "/v1/trade/orders/batch/cancel",
  "/v1/trade/orders/cancel-all",
]

/** Reads, all GET. */
const readEndpoints: ReadonlyMap<string, Read> = new Map([
  [readPaths.symbols, readSymbols],
  [readPaths.ticker, readTicker],
  [readPaths.openOrders, readOpenOrders],
  [readPaths.orderHistory, readOrderHistory],
  [readPaths.executions, readExecutions],
  [readPaths.balances, readBalances],
  [readPaths.settings, readSettings],
  [readPaths.agents, readAgents],
  [readPaths.subAccounts, readSubAccounts],
  [readPaths.transactions, readTransactions],
])

// The weights of the interface's tables.

/** What a write weighs against the address budget, by its body. */
type AddressWeight = (body: Body) => number

/** What explorer reads weigh against the IP budget. */
export const explorerWeight = 40
/** What other reads weigh. */
export const readWeight = 2
const postWeight = 1

/** Always the same weight. */
function flat(weight: number): AddressWeight {
  return () => weight
}

/** `1 + floor(batch_length / 10)` with the length of the list `name`; what isn't a list counts as one item. */
function perItem(name: string): AddressWeight {
  return (body) => {
    const items = body[name]
    return 1 + Math.floor((Array.isArray(items) ? items.length : 1) / 10)
  }
}

/** What a request weighs against the IP budget. Methods other than GET and POST count as reads: invented. */
export function ipWeight(method: string, path: string): number {
  if (method === "POST") return postWeight
  return path.startsWith("/v1/explorer/") ? explorerWeight : readWeight
}
