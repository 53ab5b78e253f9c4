import { fetchDirect } from "../../client/fetch-direct.ts"
import { sandboxChainId, sandboxServiceChain } from "../../sandbox/state/market.ts"
import { Fault } from "../../std/fault.ts"
import type { Admin } from "../installation/admin.ts"
import { generateKey } from "../keys/keys.ts"
import type { Stage } from "./stage.ts"

/** What the demo's bot may do. */
export const botPolicy = `policy: demo
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

const ordersPath = "/v1/trade/orders"
const approvePath = "/v1/account/approve-agent"

/** Adds two keys and a bot. */
export async function addBot(admin: Admin) {
  const wallet = await generateKey(admin, { name: "main", role: "wallet" })
  const agent = await generateKey(admin, { name: "mm", role: "agent", wallet: "main" })
  const bot = await admin.call("addClient", {
    name: "bot",
    keys: ["mm", "main"],
    rights: [],
    allowTypeB: true,
  })
  return { token: bot.token, walletAddress: wallet.address, agentAddress: agent.address }
}

type BotStage = Stage & Awaited<ReturnType<typeof addBot>>

/**
 * Plays the demo's requests through the daemon and says what came of each.
 *
 * @throws {Fault} `internal` when one of them ends in another way than it should.
 */
export async function playOrders(stage: BotStage, say: (line: string) => void): Promise<void> {
  for (const request of demoRequests(stage)) {
    say("")
    say(request.title)
    say(`  → POST ${request.path}  ${JSON.stringify(request.body)}`)
    const { status, source, text } = await post(stage, request)
    say(`  ← ${status} from the ${source}: ${text}`)
    if (status !== request.expectedStatus || !text.includes(request.expectedText)) {
      throw new Fault(
        "internal",
        `The demo expected ${request.expectedStatus} with ${request.expectedText}.`,
      )
    }
    const where = refusedWhere(text)
    if (where !== undefined) say(`    refused by ${where}`)
  }
}

/** The demo's story: an approval, an order, an order that policy refuses, an account operation without the wallet key. */
function demoRequests(stage: BotStage) {
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
  ] as const
}

/** Lines to paste into a shell while the demo stays up. */
export function curlLines({ daemonUrl, token }: BotStage): readonly string[] {
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

function demoApproval({ agentAddress, walletAddress }: BotStage) {
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

async function post(stage: BotStage, { path, body, key }: ReturnType<typeof demoRequests>[number]) {
  const response = await fetchDirect(`${stage.daemonUrl}${path}`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${stage.token}`,
      "Content-Type": "application/json",
      "Countersign-Key": key,
    },
    body: JSON.stringify(body),
  })
  const source = response.headers.get("Countersign-Source") ?? "unknown"
  return { status: response.status, source, text: await response.text() }
}

function refusedWhere(text: string): string | undefined {
  const { data } = JSON.parse(text) as {
    data: { file?: string; line?: number; rule?: string } | null
  }
  if (data?.file === undefined || data.line === undefined) return undefined
  return `rule ${data.rule ?? ""}, ${data.file}:${data.line}`
}
