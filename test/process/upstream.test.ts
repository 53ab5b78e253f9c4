import assert from "node:assert/strict"
import { appendFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, it } from "node:test"

import { bot, limitOrder } from "../support/bot.ts"
import { startConnectProxy } from "../support/connect-proxy.ts"
import { countersign, makeInstallation, serve } from "../support/countersign.ts"
import { killAllNaming } from "../support/process-tree.ts"
import { httpText, startRawVenue } from "../support/raw-venue.ts"
import { testTls } from "../support/tls.ts"
import { addClient, makeTradingKeys, tradingPolicy, writePolicy } from "../support/trading-keys.ts"

describe("a daemon whose venue has an authority of its own and is behind a proxy", () => {
  it("forwards through the tunnel, and doctor goes the same way", async (t) => {
    const answer = httpText('{"code":"0","msg":"","data":{},"trace_code":""}')
    const venue = await startRawVenue(t, {
      tls: true,
      onRequest: (socket) => socket.write(answer),
    })
    const proxy = await startConnectProxy(t)
    const upstream = ["--upstream", `https://localhost:${venue.port}`]
    const installation = await makeInstallation(["--venue", "sandbox", ...upstream])
    const { dir } = installation
    const ca = testTls.cert.trimEnd().replaceAll("\n", "\n    ")
    const lines = `upstream:\n  proxy: ${proxy.url}\n  deadline: 30s\n  ca: |\n    ${ca}\n`
    await appendFile(join(dir, "countersign.yaml"), lines)
    await writePolicy(dir, tradingPolicy)
    await makeTradingKeys(dir)
    const token = await addClient(dir, "bot")
    const daemon = await serve(dir)
    t.after(async () => {
      await daemon.stop("SIGKILL")
      await killAllNaming(dir)
      await installation.remove()
    })
    const client = bot(daemon.url, token)

    const placed = await client.post("/v1/trade/orders", limitOrder())
    assert.deepEqual([placed.status, placed.json.code], [200, "0"])
    assert.match(proxy.asked.join(""), new RegExp(`^CONNECT localhost:${venue.port}\n`))
    assert.doesNotMatch(proxy.bytes(), /POST/)

    const tunnels = proxy.asked.length
    const { stdout } = await countersign(["doctor", "--dir", dir, "--json"])
    const { findings } = JSON.parse(stdout) as { findings: { check: string; message: string }[] }
    const found = findings.find(({ check }) => check === "upstream")
    assert.match(found?.message ?? "", /takes connections, and its certificate is valid/)
    assert.equal(proxy.asked.length, tunnels + 1)
  })
})
