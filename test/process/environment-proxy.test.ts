import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { createServer, type AddressInfo } from "node:net"
import { after, before, describe, it, type TestContext } from "node:test"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"

import { startBotDaemon, type BotDaemon } from "../support/bot-daemon.ts"
import { countersignProcess, sandbox, type Served } from "../support/countersign.ts"
import { repositoryRoot } from "../support/markdown.ts"
import { namingProxy } from "../support/named-proxy.ts"

const run = promisify(execFile)

/** Calls by the client that reads, writes and sends until it is clear; then the platform's own fetch, for comparison. */
const program = `
import { createClient } from ${JSON.stringify(sourceUrl("client/create-client.ts"))}
const { URLS, TOKEN } = process.env
const order = { symbol_id: 1, is_buy: true, order_type: "limit", price: "63000", quantity: "0.1" }
for (const url of URLS.split(" ")) {
  const client = createClient({ url, token: TOKEN })
  const answers = [
    await client.whoami(),
    await client.sign("/v1/trade/orders", order),
    await client.sendUntilClear("/v1/trade/orders", order),
  ]
  console.log(answers.map(({ ok, source }) => [source, ok].join(" ")).join(", "))
}
if (process.env.BY_FETCH) await fetch(URLS.split(" ")[0] + "/whoami").catch(() => console.log("lost"))
`

/** What doctor does to learn the gate's version. */
const doctorProgram = `
import { versionLines } from ${JSON.stringify(sourceUrl("commands/doctor/live/machine-lines.ts"))}
import { version } from ${JSON.stringify(sourceUrl("std/version.ts"))}
const at = { host: "127.0.0.1", port: Number(process.env.PORT), restart: "" }
console.log(JSON.stringify(await versionLines({ version }, at)))
`

function sourceUrl(file: string): string {
  return pathToFileURL(`${repositoryRoot}/src/${file}`).href
}

/** What listens as a proxy does, counts who calls, and hangs up. */
async function startListener(t: TestContext): Promise<{ url: string; calls: () => number }> {
  let calls = 0
  const server = createServer((socket) => {
    calls++
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  t.after(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls: () => calls }
}

describe("a proxy that the environment names", { timeout: 120_000 }, () => {
  let venue: Served
  let daemon: BotDaemon
  before(async () => {
    venue = await sandbox()
    daemon = await startBotDaemon(["--venue", "sandbox", "--upstream", venue.url])
  })
  after(async () => {
    await daemon.remove()
    await venue.stop()
  })

  async function runProgram(text: string, proxy: string, more: Readonly<Record<string, string>>) {
    const env = { ...process.env, ...namingProxy(proxy), ...more }
    const args = ["--input-type=module", "--eval", text]
    return (await run(process.execPath, args, { env, timeout: 60_000 })).stdout
  }

  async function runClient(proxy: string, more: Readonly<Record<string, string>> = {}) {
    const URLS = `${daemon.url} ${daemon.url.replace("127.0.0.1", "localhost")}`
    const printed = await runProgram(program, proxy, { URLS, TOKEN: daemon.token, ...more })
    return printed.trimEnd().split("\n")
  }

  it("hears nothing of the TypeScript client's calls to loopback", async (t) => {
    const proxy = await startListener(t)
    const lines = await runClient(proxy.url)
    // The agent isn't approved: the venue refuses the order, which is an answer of the venue.
    const each = "daemon true, daemon true, venue false"
    assert.deepEqual(lines, [each, each])
    assert.equal(proxy.calls(), 0)
  })

  it("would hear of the platform's own fetch", async (t) => {
    const proxy = await startListener(t)
    assert.equal((await runClient(proxy.url, { BY_FETCH: "1" })).at(-1), "lost")
    assert.ok(proxy.calls() > 0)
  })

  it("hears nothing of doctor, which asks the gate for its version", async (t) => {
    const proxy = await startListener(t)
    const stdout = await runProgram(doctorProgram, proxy.url, { PORT: String(daemon.port) })
    assert.match(stdout, /Vault, gate and this program are /)
    assert.equal(proxy.calls(), 0)
  })

  it("hears nothing of the demo, nor of daemon and sandbox below it", async (t) => {
    const proxy = await startListener(t)
    const environment = namingProxy(proxy.url)
    const { code, stderr } = await countersignProcess(["demo", "--once"], "", { environment })
    assert.equal(code, 0, stderr)
    assert.equal(proxy.calls(), 0)
  })
})
