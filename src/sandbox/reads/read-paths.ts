/** Where the sandbox's reads are, all GET. All of these paths are invented. */
export const readPaths = {
  symbols: "/v1/market/symbols",
  ticker: "/v1/market/ticker",
  openOrders: "/v1/trade/open-orders",
  orderHistory: "/v1/trade/order-history",
  executions: "/v1/trade/executions",
  balances: "/v1/account/balances",
  settings: "/v1/account/settings",
  agents: "/v1/account/agents",
  subAccounts: "/v1/account/sub-accounts",
  transactions: "/v1/explorer/transactions",
} as const
