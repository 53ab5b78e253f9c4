// All that the sandbox answers: the interface's write endpoints with their weights, and invented reads.

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
import type { Body } from "./state/fields.ts"
import type { Play, Read } from "./state/venue.ts"

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
export const cancelPaths: readonly string[] = [
  "/v1/trade/orders/cancel",
  "/v1/trade/orders/batch/cancel",
  "/v1/trade/orders/cancel-all",
]

/** Reads, all GET. */
export const readEndpoints: ReadonlyMap<string, Read> = new Map([
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
