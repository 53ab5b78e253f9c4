import { sandboxChainId, sandboxServiceChain } from "../sandbox/state/market.ts"

/** What the demo's bot may do. */
export const demoPolicy = `policy: demo
rules:
  - name: quote
    endpoints: [placeOrder]
    symbols: [BTC-PERP]
    order_types: [limit]
    max_quantity: "0.5"            # BTC
    max_notional: "40000"          # USD, at the worst price it can fill
  - name: get-out
    endpoints: [cancelOrder, cancelAll]
  - name: own-agents
    endpoints: [approveAgent]
    agent_addresses: held          # only keys that this daemon holds
    max_valid_days: 30
reads: ["/v1/trade/open-orders"]   # a bot in doubt may look
`

export type DemoRequest = {
  readonly title: string
  readonly path: string
  readonly key: "main" | "mm"
  readonly body: Readonly<Record<string, unknown>>
  readonly expectedStatus: number
  readonly expectedText: string
}

const ordersPath = "/v1/trade/orders"
const approvePath = "/v1/account/approve-agent"

/** The demo's story: an approval, an order, an order that policy refuses, an account operation without the wallet key. */
export function demoRequests(stage: Stage): readonly DemoRequest[] {
  const approval = demoApproval(stage)
  return [
    {
      title: "1. The wallet key approves the agent key (signing type B).",
      path: approvePath,
      key: "main",
      body: approval,
      expectedStatus: 200,
      expectedText: `"code":"0"`,
    },
    {
      title: "2. The bot places an order with the agent key (signing type A).",
      path: ordersPath,
      key: "mm",
      body: demoOrder("0.1"),
      expectedStatus: 200,
      expectedText: "order_id",
    },
    {
      title: "3. The bot asks for more than its policy allows.",
      path: ordersPath,
      key: "mm",
      body: demoOrder("0.6"),
      expectedStatus: 403,
      expectedText: "policy_denied",
    },
    {
      title: "4. The bot tries an account operation with the agent key.",
      path: approvePath,
      key: "mm",
      body: approval,
      expectedStatus: 403,
      expectedText: "wallet_key_required",
    },
  ]
}

/** Lines to paste into a shell while the demo stays up. */
export function curlLines({ daemonUrl, token }: Stage): readonly string[] {
  const head = `curl -sS -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json'`
  const order = (quantity: string) => `-d '${JSON.stringify(demoOrder(quantity))}'`
  return [
    "",
    "It stays up until Ctrl-C. Lines to paste into another terminal:",
    "",
    "# place an order",
    `${head} ${daemonUrl}${ordersPath} ${order("0.2")}`,
    "# have it signed and sent back, not forwarded",
    `${head} ${daemonUrl}/sign${ordersPath} ${order("0.2")}`,
    "# ask whether it would be signed, and by which rule",
    `${head} ${daemonUrl}/check${ordersPath} ${order("0.6")}`,
    "# see what this token may do",
    `${head} ${daemonUrl}/whoami`,
  ]
}

function demoApproval({ agentAddress, walletAddress }: Stage) {
  return {
    service_chain: sandboxServiceChain,
    signature_chain_id: sandboxChainId,
    agent_address: agentAddress,
    authorized_address: walletAddress,
    valid_days: 30,
    label: "demo",
  }
}

function demoOrder(quantity: string) {
  return {
    symbol_id: 1,
    is_buy: true,
    order_type: "limit",
    price: "63000",
    quantity,
    flags: ["post_only"],
  }
}

/** What the demo plays on: sandbox and daemon, as real as any, with keys that live as long as it does. */
export type Stage = {
  readonly daemonUrl: string
  readonly sandboxUrl: string
  readonly token: string
  readonly walletAddress: string
  readonly agentAddress: string
  readonly broken: Promise<never>
  /** Ends everything and removes the temporary directory. */
  close(): Promise<void>
}
