import assert from "node:assert/strict"
import { existsSync, readFileSync } from "node:fs"
import { appendFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import { countersign, makeInstallation, sandbox, serve } from "../support/countersign.ts"
import { liveVenue } from "../support/paper-site.ts"
import { limitOrder } from "../support/open-test-vault.ts"
import { makeTradingKeys, writePolicy } from "../support/trading-keys.ts"

const policy = `policy: trading
reads: ["/v1/account/positions"]
rules: [{name: quote, endpoints: [placeOrder], symbols: [BTC-PERP]}]
`

type Answer = { readonly code: string; readonly data: Readonly<Record<string, unknown>> }

describe("paper beside a live installation", () => {
  let installation: Awaited<ReturnType<typeof makeInstallation>>
  let live: Awaited<ReturnType<typeof sandbox>>
  let daemon: Awaited<ReturnType<typeof serve>>
  let venue: Awaited<ReturnType<typeof sandbox>> | undefined
  const tokens = { live: "", paper: "" }

  const run = async (...words: readonly string[]) => {
    const { code, stdout, stderr } = await countersign([...words, "--dir", installation.dir])
    assert.equal(code, 0, stderr)
    return stdout
  }
  const ask = async (token: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
    const given = body && { method: "POST", body: JSON.stringify(body) }
    const response = await fetch(daemon.url + path, { headers, ...given })
    const isPaper = response.headers.get("countersign-paper")
    return { status: response.status, isPaper, ...((await response.json()) as Answer) }
  }

  before(async () => {
    // Another sandbox in the real venue's place: nothing that it is sent may be paper's.
    live = await sandbox()
    installation = await makeInstallation(["--backend", "memory", "--venue", "sandbox"])
    const { dir } = installation
    await writeFile(join(dir, "venue.yaml"), liveVenue(live.url))
    await writePolicy(dir, policy)
    daemon = await serve(dir)
    await makeTradingKeys(dir)
    const added = await run("clients", "add", "bot", "--keys", "mm", "--json")
    tokens.live = (JSON.parse(added) as { readonly token: string }).token
  })
  after(async () => {
    await daemon.stop("SIGTERM")
    await venue?.stop("SIGTERM")
    await live.stop("SIGTERM")
    await installation.remove()
  })

  it("takes two commands and a reload, and says so where the first is missing", async () => {
    const { dir } = installation
    const add = ["clients", "add", "try", "--paper", "--keys", "mm", "--json", "--dir", dir]
    const early = await countersign(add)
    assert.notEqual(early.code, 0)
    assert.match(early.stdout, /Run: countersign sandbox --paper.*countersign policy reload/s)
    venue = await sandbox(["--paper", "--dir", dir])
    assert.ok(existsSync(join(dir, "venue-paper.yaml")))
    await run("policy", "reload")
    const { token } = JSON.parse((await countersign(add)).stdout) as { readonly token: string }
    tokens.paper = token
    assert.match(token, /^cs_paper_/)
    assert.match(await run("keys", "list"), /mm\.paper +agent/)
    assert.match(await run("clients", "list"), /try +mm\.paper/)
  })

  it("sends paper's orders to paper's venue, where they fill, and tells so with each answer", async () => {
    const order = limitOrder({ order_type: "market", price: undefined, market_order_type: "base" })
    const placed = await ask(tokens.paper, "/v1/trade/orders", order)
    assert.deepEqual([placed.status, placed.code, placed.isPaper], [200, "0", "true"])
    assert.equal(placed.data["state"], "filled")
    const { data } = await ask(tokens.paper, "/whoami")
    assert.deepEqual([data["paper"], data["default_key"]], [true, "mm.paper"])
    const [key] = data["keys"] as readonly { readonly address: string }[]
    const path = `/v1/account/positions?account_address=${key?.address ?? ""}`
    const read = await ask(tokens.paper, path)
    assert.deepEqual([read.status, read.isPaper], [200, "true"], JSON.stringify(read))
    assert.equal((read.data["list"] as readonly unknown[]).length, 1)
    assert.doesNotMatch(live.stdout(), /trade\/orders|positions/)
    assert.match(await run("audit", "tail", "-n", "5"), /mm\.paper/)
  })

  it("tells a refusal of paper's as paper's too, and nothing of the kind to a live client", async () => {
    const strange = await ask(tokens.paper, "/v1/trade/orders", { symbol_id: 77 })
    assert.deepEqual([strange.status >= 400, strange.isPaper], [true, "true"])
    const other = await ask(tokens.live, "/whoami")
    assert.deepEqual([other.isPaper, other.data["paper"]], [null, false])
    // The other sandbox plays another network than venue.yaml says, so it knows no such signer.
    const sent = await ask(tokens.live, "/v1/trade/orders", limitOrder())
    assert.equal(sent.isPaper, null)
    assert.match(live.stdout(), /POST \/v1\/trade\/orders/)
  })

  it("stops where its venue is taken away, and the live client goes on", async () => {
    const { dir } = installation
    const paperFile = join(dir, "venue-paper.yaml")
    const text = readFileSync(paperFile, "utf8")
    await appendFile(paperFile, "strange: 1\n")
    const refused = await countersign(["policy", "reload", "--dir", dir])
    assert.notEqual(refused.code, 0)
    assert.match(refused.stderr, /venue-paper.yaml/)
    await writeFile(paperFile, text)
    await venue?.stop("SIGTERM")
    const lost = await ask(tokens.paper, "/v1/trade/orders", limitOrder())
    assert.deepEqual([lost.code, lost.isPaper], ["upstream_unreachable", "true"])
    assert.notEqual((await ask(tokens.live, "/sign/v1/trade/orders", limitOrder())).status, 502)
  })
})
