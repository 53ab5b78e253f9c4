import { randomBytes } from "node:crypto"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"

import type { KeyView } from "../../src/contract/bot-views.ts"
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

/** Allows orders of so much and nothing else: for a test of what becomes of files. */
export function quotePolicy(maxQuantity: string): string {
  return `policy: trading
rules: [{name: quote, endpoints: [placeOrder], max_quantity: "${maxQuantity}"}]
`
}

/** Writes a policy file as an operator would. */
export function writePolicy(dir: string, text: string, name = "trading.yaml"): Promise<void> {
  return writeFile(join(dir, "policies", name), text, { mode: 0o600 })
}

/** What `keys import` says besides what any call says of a key. */
const saidOfImport = ["derivation_path", "signed_and_recovered"]

export type TradingKeys = { readonly wallet: KeyView; readonly agent: KeyView }

/** Imports a new wallet key `main` and its agent `mm`, whether the daemon runs or not: so both are known here. */
export async function makeTradingKeys(dir: string): Promise<TradingKeys> {
  const importKey = async (...options: readonly string[]): Promise<KeyView> => {
    const args = ["keys", "import", "--dir", dir, "--name", ...options]
    const imported = await countersignJson<KeyView>(args, randomBytes(32).toString("hex"))
    const view = Object.entries(imported).filter(([name]) => !saidOfImport.includes(name))
    return Object.fromEntries(view) as KeyView
  }
  const wallet = await importKey("main", "--role", "wallet")
  const agent = await importKey("mm", "--role", "agent", "--wallet", "main")
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
