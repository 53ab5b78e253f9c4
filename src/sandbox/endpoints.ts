// All that the sandbox answers: the interface's write endpoints with their weights, and invented reads.
import { playIsolatedMargin, playLeverage, playPositionMode } from "./account-settings.ts"
import { playApproveAgent, playRenewAgent, playRevokeAgent } from "./agents.ts"
import { playCancelAll, playCancelBatch, playCancelOrder } from "./cancel-orders.ts"
import { playChaseOrder, playModifyBatch, playModifyOrder } from "./modify-order.ts"
import { playCreateSub, playTransfer, playWithdraw } from "./move-funds.ts"
import { playPlaceBatch, playPlaceOrder } from "./place-order.ts"
import { readAgents, readBalances, readSettings, readSubAccounts } from "./read-account.ts"
import { readTransactions } from "./read-explorer.ts"
import { readPaths } from "./read-paths.ts"
import { readSymbols, readTicker } from "./read-market.ts"
import { readExecutions, readOpenOrders, readOrderHistory } from "./read-trade.ts"
import type { Play, Read } from "./venue.ts"
import { flat, perItem, type AddressWeight } from "./weights.ts"

export type WriteEndpoint = { readonly play: Play; readonly weight: AddressWeight }

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
