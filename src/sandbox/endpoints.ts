// All that the sandbox answers: the interface's write endpoints with their weights, and invented reads.

import { playIsolatedMargin, playLeverage, playPositionMode } from "./accounts/account-settings.ts"
import { playApproveAgent, playRenewAgent, playRevokeAgent } from "./accounts/agents.ts"
import { playCreateSub, playTransfer, playWithdraw } from "./accounts/move-funds.ts"
import { playCancelAll, playCancelBatch, playCancelOrder } from "./orders/cancel-orders.ts"
import { playChaseOrder, playModifyBatch, playModifyOrder } from "./orders/modify-order.ts"
import { playPlaceBatch, playPlaceOrder } from "./orders/place-order.ts"
import { readAgents, readBalances, readSettings, readSubAccounts } from "./reads/read-account.ts"
import { readTransactions } from "./reads/read-explorer.ts"
import { readSymbols, readTicker } from "./reads/read-market.ts"
import { readPaths } from "./reads/read-paths.ts"
import { readExecutions, readOpenOrders, readOrderHistory } from "./reads/read-trade.ts"
import type { Play, Read } from "./state/turn.ts"
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
