import { writeFile } from "node:fs/promises"
import { join } from "node:path"

import type { KeyView } from "../../src/link/views.ts"
import { countersignJson } from "./countersign.ts"

/** Lets every client place and cancel BTC-PERP orders up to a size, approve agents that are held here, and revoke any. */
export const tradingPolicy = `policy: trading
rules:
  - name: quote
    endpoints: [placeOrder]
    symbols: [BTC-PERP]
    order_types: [limit]
    max_quantity: "0.5"
  - name: get-out
    endpoints: [cancelOrder, cancelAll]
  - name: own-agents
    endpoints: [approveAgent]
    agent_addresses: held
  - name: end-agents
    endpoints: [revokeAgent]
`

/** Writes a policy file as an operator would. */
export function writePolicy(dir: string, text: string, name = "trading.yaml"): Promise<void> {
  return writeFile(join(dir, "policies", name), text, { mode: 0o600 })
}

export type TradingKeys = { readonly wallet: KeyView; readonly agent: KeyView }

/** Makes the wallet key `main` and its agent `mm`, whether the daemon runs or not. */
export async function makeTradingKeys(dir: string): Promise<TradingKeys> {
  const generate = ["keys", "generate", "--dir", dir, "--name"]
  const wallet = await countersignJson<KeyView>([...generate, "main", "--role", "wallet"])
  const agentOptions = ["mm", "--role", "agent", "--wallet", "main"]
  const agent = await countersignJson<KeyView>([...generate, ...agentOptions])
  return { wallet, agent }
}

/** Adds a client and returns its token. */
export async function addClient(
  dir: string,
  name: string,
  options: readonly string[] = ["--keys", "mm,main", "--allow-type-b"],
): Promise<string> {
  const args = ["clients", "add", name, "--dir", dir, ...options]
  return (await countersignJson<{ token: string }>(args)).token
}
