import { appendFile } from "node:fs/promises"
import { join } from "node:path"

import { controlPath } from "../../src/sandbox/faults.ts"
import { sandboxChainId, sandboxServiceChain } from "../../src/sandbox/state/market.ts"
import { bot } from "./bot.ts"
import { makeInstallation, sandbox, serve, type Served } from "./countersign.ts"
import { readRepositoryFile, sectionOf } from "./markdown.ts"
import { killAllNaming } from "./process-tree.ts"
import { addClient, makeTradingKeys, writePolicy } from "./trading-keys.ts"

/** What a guarded site is made of. Durations as the files have them. */
export type GuardedSetup = {
  /** The words of `countersign sandbox`. */
  readonly market: readonly string[]
  readonly lag: string
  /** How long orders are good for, unless a bot shortens it. */
  readonly expiresIn: string
  /** A line of YAML: what the guard `small` bounds. */
  readonly guard: string
  /** Lines of YAML at the end of `account`, each indented. */
  readonly account?: string
  /** Faults from before the daemon's start on. */
  readonly faults?: readonly object[]
}

/** A daemon, the sandbox's market, and two clients under one guard that trade one account. */
export type GuardedSite = {
  readonly dir: string
  readonly venue: Served
  readonly daemon: Served
  /** The wallet's address. */
  readonly account: string
  /** Of `one`, which trades by the wallet's key, and of `two`, which does by its agent's. */
  readonly tokens: readonly [one: string, two: string]
  remove(): Promise<void>
}

export async function startGuardedSite(setup: GuardedSetup): Promise<GuardedSite> {
  const venue = await sandbox(setup.market)
  const installation = await makeInstallation(["--venue", "sandbox", "--upstream", venue.url])
  const { dir } = installation
  const { wallet, agent } = await makeTradingKeys(dir)
  await appendFile(join(dir, "countersign.yaml"), `expires_in: {trade: ${setup.expiresIn}}\n`)
  await appendFile(
    join(dir, "venue.yaml"),
    accountLines(wallet.address, setup.lag) + (setup.account ?? ""),
  )
  await writePolicy(dir, policyWith(setup.guard))
  const one = await addClient(dir, "one", ["--keys", "main", "--allow-type-b"])
  const two = await addClient(dir, "two", ["--keys", "mm"])
  for (const fault of setup.faults ?? []) await addFault(venue, fault)
  const daemon = await serve(dir)
  await approve({ daemon, token: one }, { wallet: wallet.address, agent: agent.address })
  return {
    ...{ dir, venue, daemon, tokens: [one, two] },
    account: wallet.address.toLowerCase(),
    async remove() {
      await daemon.stop("SIGKILL")
      await killAllNaming(dir)
      await venue.stop()
      await installation.remove()
    },
  }
}

/** Where the sandbox shows what an account is worth. */
export const equityLine =
  "  equity: {path: /v1/account/equity?account_address=$account, value: /data/equity}\n"

/** From now on the sandbox has this fault besides. */
export async function addFault(venue: Pick<Served, "url">, fault: object): Promise<void> {
  const headers = { "Content-Type": "application/json" }
  const body = JSON.stringify(fault)
  const { ok, status } = await fetch(venue.url + controlPath, { method: "POST", headers, body })
  if (!ok) throw new Error(`the sandbox answers a fault ${status}`)
}

export async function clearFaults(venue: Pick<Served, "url">): Promise<void> {
  await fetch(venue.url + controlPath, { method: "DELETE" })
}

/** What the sandbox's page says of an account, for this one, read as often as can be. */
function accountLines(address: string, lag: string): string {
  const section = sectionOf(readRepositoryFile("docs/sandbox.md"), "A market")
  const [, block = ""] = /```yaml\n(account:[\s\S]*?)```/.exec(section) ?? []
  const lines = block.replace(/0x[0-9a-fA-F]{40}/, address)
  if (lines === block) throw new Error("the sandbox's page has no account")
  return `\n${lines}  lag: ${lag}\n  poll: {busy: 1s, idle: 1s}\n`
}

function policyWith(guard: string): string {
  return `policy: guarded
rules:
  - {name: trade, endpoints: [placeOrder, placeBatch, modifyOrder, cancelOrder, cancelAll]}
  - {name: own-agents, endpoints: [approveAgent], agent_addresses: held}
guards: [{name: small, ${guard}}]
`
}

async function approve(
  { daemon, token }: { readonly daemon: Served; readonly token: string },
  { wallet, agent }: { readonly wallet: string; readonly agent: string },
): Promise<void> {
  const body = {
    ...{ service_chain: sandboxServiceChain, signature_chain_id: sandboxChainId },
    ...{ agent_address: agent, authorized_address: wallet, valid_days: 30, label: "mm" },
  }
  const { status, text } = await bot(daemon.url, token).post("/v1/account/approve-agent", body)
  if (status !== 200) throw new Error(`the agent isn't approved: ${text}`)
}
