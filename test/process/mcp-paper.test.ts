import assert from "node:assert/strict"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import { countersign, makeInstallation, sandbox, serve } from "../support/countersign.ts"
import { temporaryDirectory } from "../support/link-peer.ts"
import { startMcp, writeToken } from "../support/mcp-client.ts"
import { limitOrder } from "../support/open-test-vault.ts"
import { liveVenue } from "../support/paper-site.ts"
import { makeTradingKeys, tradingPolicy, writePolicy } from "../support/trading-keys.ts"

const order = { symbol: "BTC-PERP", side: "buy", type: "limit", price: "63000", quantity: "0.1" }
const checkedPolicy = "policy: checked\napplies_to: { clients: [agent] }\nrequire_check: 30s\n"

type Answer = { readonly code: string; readonly data?: { readonly reason?: string } | null }

describe("an agent on paper", { timeout: 120_000 }, () => {
  let installation: Awaited<ReturnType<typeof makeInstallation>>
  let daemon: Awaited<ReturnType<typeof serve>>
  let venue: Awaited<ReturnType<typeof sandbox>>
  let token: string

  const run = async (...words: readonly string[]) => {
    const { code, stdout, stderr } = await countersign([...words, "--dir", installation.dir])
    assert.equal(code, 0, stderr)
    return stdout
  }

  const ask = async (by: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${by}`, "content-type": "application/json" }
    const given = body && { method: "POST", body: JSON.stringify(body) }
    const response = await fetch(daemon.url + path, { headers, ...given })
    const record = response.headers.get("countersign-record") ?? "none"
    const { code, data } = (await response.json()) as Answer
    return { status: response.status, record, code, reason: data?.reason }
  }

  before(async () => {
    installation = await makeInstallation(["--backend", "memory", "--venue", "sandbox"])
    const { dir } = installation
    await writeFile(join(dir, "venue.yaml"), liveVenue())
    await writePolicy(dir, tradingPolicy)
    await writePolicy(dir, checkedPolicy, "checked.yaml")
    daemon = await serve(dir)
    await makeTradingKeys(dir)
    // As docs/mcp.md has it.
    venue = await sandbox(["--paper", "--dir", dir])
    await run("policy", "reload")
    const add = ["clients", "add", "agent", "--paper", "--forward-only", "--keys", "mm", "--json"]
    token = (JSON.parse(await run(...add)) as { readonly token: string }).token
  })
  after(async () => {
    await daemon.stop("SIGTERM")
    await venue.stop("SIGTERM")
    await installation.remove()
  })

  it("starts with --paper, is told that it is, and places its first order", async () => {
    const home = temporaryDirectory()
    const tokenFile = await writeToken(home.path, token)
    const agent = await startMcp({ url: daemon.url, tokenFile }, ["--paper"])
    try {
      const { client, paper } = await agent.call("whoami")
      assert.deepEqual([client, paper], ["agent", true])
      const { check, would_sign } = await agent.call("check_order", { order })
      assert.equal(would_sign, true)
      assert.equal((await agent.call("place_order", { check, order }))["ok"], true)
    } finally {
      await agent.close()
      home.remove()
    }
  })

  for (const [what, path, body, code, reason] of [
    ["a signed body", "/sign/v1/trade/orders", limitOrder(), "forward_only", undefined],
    ["an order that wasn't checked", "/v1/trade/orders", limitOrder(), "check_required", undefined],
    [
      "more than the policy allows",
      "/v1/trade/orders",
      limitOrder({ quantity: "0.6" }),
      "policy_denied",
      "quantity_over_max",
    ],
    ["a stop of all", "/freeze", { scope: "all", reason: "x" }, "right_missing", undefined],
    ["a price", "/prices", { prices: [] }, "right_missing", undefined],
  ] as const) {
    it(`is refused by HTTP ${what}`, async () => {
      const refused = await ask(token, path, body)
      assert.deepEqual([refused.code, refused.reason], [code, reason])
    })
  }

  it("gets by HTTP neither another client's record nor what is the operator's", async () => {
    const added = await run("clients", "add", "other", "--keys", "mm", "--json")
    const { token: other } = JSON.parse(added) as { readonly token: string }
    const { status, record } = await ask(other, "/sign/v1/trade/orders", limitOrder())
    assert.equal(status, 200)
    assert.equal((await ask(other, `/records/${record}`)).status, 200)
    assert.equal((await ask(token, `/records/${record}`)).code, "unknown_record")
    for (const path of ["/admin", "/clients", "/keys", "/policy", "/thaw", "/approve"]) {
      assert.equal((await ask(token, path)).status, 404, path)
    }
  })
})
