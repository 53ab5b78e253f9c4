import assert from "node:assert/strict"

import { startSandbox } from "../../src/sandbox/start-sandbox.ts"
import { startBotDaemon, type BotDaemon } from "./bot-daemon.ts"
import { countersign } from "./countersign.ts"
import { temporaryDirectory } from "./link-peer.ts"
import { writeToken, type McpPlace } from "./mcp-client.ts"

/** A sandbox, a daemon with an approved agent key, and a token in a file of its own. */
export type McpSite = {
  readonly daemon: BotDaemon
  readonly place: McpPlace
  /** The ids of the wallet's open orders at the sandbox. */
  openOrders(): Promise<readonly string[]>
  /** Has something go wrong at the sandbox. */
  fault(fault: Readonly<Record<string, unknown>>): Promise<void>
  close(): Promise<void>
}

export async function openMcpSite(): Promise<McpSite> {
  const venue = await startSandbox({ port: 0 })
  const daemon = await startBotDaemon(["--venue", "sandbox", "--upstream", venue.url])
  const approve = ["agent", "approve", "mm", "--dir", daemon.dir, "--valid-days", "30"]
  const approved = await countersign(approve)
  assert.equal(approved.code, 0, approved.stderr)
  const home = temporaryDirectory()
  const account = daemon.keys.wallet.address
  return {
    daemon,
    place: { url: daemon.url, tokenFile: await writeToken(home.path, daemon.token) },
    openOrders: async () => {
      const query = `account_address=${account}&limit=100`
      const answer = await fetch(`${venue.url}/v1/trade/open-orders?${query}`)
      const { data } = (await answer.json()) as { data: { list: { order_id: string }[] } }
      return data.list.map(({ order_id }) => order_id)
    },
    fault: async (fault) => {
      const answer = await fetch(`${venue.url}/__sandbox/fault`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(fault),
      })
      assert.equal(answer.ok, true)
    },
    close: async () => {
      home.remove()
      await daemon.remove()
      await venue.close()
    },
  }
}
