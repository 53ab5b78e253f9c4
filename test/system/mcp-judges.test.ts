import assert from "node:assert/strict"
import { execFile, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer, type IncomingMessage, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { buffer, text } from "node:stream/consumers"
import { after, before, describe, it } from "node:test"
import { promisify } from "node:util"

import { createMcpHandler, type McpHttpHandler } from "@modelcontextprotocol/server"

import { createClient } from "../../src/client/create-client.ts"
import { serverFactory } from "../../src/mcp/make-server.ts"
import { openDesk } from "../../src/mcp/run-mcp.ts"
import { startCountersign } from "../support/countersign.ts"
import { readRepositoryFile, repositoryRoot } from "../support/markdown.ts"
import { mcpArgs } from "../support/mcp-client.ts"
import { openMcpSite, type McpSite } from "../support/mcp-site.ts"
import { pageBlocks } from "../support/page-blocks.ts"
import { bin, node } from "../support/published.ts"

const judges = join(repositoryRoot, "test/mcp")
const packages = join(judges, "node_modules/@modelcontextprotocol")
const inspector = join(packages, "inspector/clients/launcher/build/index.js")
const conformance = join(packages, "conformance/dist/index.js")

describe("others' judges of a server of tools", { timeout: 600_000 }, () => {
  let site: McpSite
  let shim: Server
  let url: string
  before(async () => {
    // By the lock and its hashes. `npm ci` would miss an optional package for Windows that not every registry has.
    const quietly = ["--no-save", "--ignore-scripts", "--no-audit", "--no-fund"]
    execFileSync("npm", ["install", ...quietly], { cwd: judges })
    site = await openMcpSite()
    const client = createClient({ url: site.daemon.url, token: site.daemon.token })
    const desk = await openDesk(client, new AbortController().signal)
    const factory = serverFactory(desk, () => true)
    const handler = createMcpHandler(factory)
    shim = createServer((request, response) => {
      void answered(request, handler).then(async (answer) => {
        response.writeHead(answer.status, Object.fromEntries(answer.headers))
        response.end(Buffer.from(await answer.arrayBuffer()))
      })
    })
    await once(shim.listen(0, "127.0.0.1"), "listening")
    url = `http://127.0.0.1:${(shim.address() as AddressInfo).port}/mcp`
  })
  after(async () => {
    shim.closeAllConnections()
    shim.close()
    await site.close()
  })

  /** Over standard input and output, as it is started by an agent's program. */
  function inspected(...method: readonly string[]) {
    const config = ["--cli", node, bin, ...mcpArgs(site.place)]
    return run([inspector, ...config, ...method])
  }

  it("has the inspector list its tools and call one", async () => {
    const listed = await inspected("--method", "tools/list")
    assert.equal(listed.code, 0, listed.stderr)
    const { tools } = JSON.parse(listed.stdout) as { tools: readonly { name: string }[] }
    assert.ok(tools.some(({ name }) => name === "place_order"))
    const called = await inspected("--method", "tools/call", "--tool-name", "whoami")
    assert.equal(called.code, 0, called.stderr)
    assert.match(called.stdout, /"client": "bot"/)
  })

  it("has an agent's first order on paper placed by the four commands of docs/mcp.md", async () => {
    const blocks = pageBlocks(readRepositoryFile("docs/mcp.md"))
    const [start = "", check = "", place = "", ...more] = blocks
      .filter(({ title }) => title === "To the first order")
      .map(({ text }) => text.trim())
    assert.deepEqual([start, more], ["npm ci\nnpm run demo -- --mcp", []])
    const demo = await startCountersign(["demo", "--mcp"], /mcp\.json\n$/)
    try {
      const mcp = demo.stdout().trimEnd().split("\n").at(-1) ?? ""
      const ask = async (script: string) => {
        const environment = { ...process.env, mcp, npm_config_offline: "true" }
        const { stdout } = await promisify(execFile)("sh", ["-c", script], {
          ...{ cwd: judges, env: environment },
        })
        const { structuredContent } = JSON.parse(stdout) as { structuredContent: Told }
        return structuredContent
      }
      const checked = await ask(check)
      assert.deepEqual([checked.ok, checked.would_sign], [true, true])
      const [order = ""] = check.split("\n")
      const placed = await ask(`${order}\ncheck=${checked.check ?? ""}\n${place}`)
      assert.deepEqual([placed.ok, placed.state, placed.repeated], [true, "open", false])
      assert.match(placed.in_words ?? "", /^PAPER: buy 0\.01 BTC-PERP/)
    } finally {
      await demo.stop("SIGTERM")
    }
  })

  for (const scenario of ["server-initialize", "ping", "tools-list"]) {
    it(`passes ${scenario} of the protocol's own conformance`, async () => {
      const args = [conformance, "server", "--url", url, "--scenario", scenario]
      const { code, stdout, stderr } = await run(args)
      assert.equal(code, 0, stdout + stderr)
      assert.match(stdout, /Passed: [1-9]\d*\/\d+, 0 failed/)
    })
  }

  it("is judged by the packages that the lock names, and no others", () => {
    const lock = readFileSync(join(judges, "package-lock.json"), "utf8")
    assert.doesNotMatch(lock, /"resolved"/)
    assert.match(lock, /"integrity"/)
  })
})

type Told = Readonly<
  Partial<Record<"ok" | "would_sign" | "repeated", boolean>> &
    Partial<Record<"check" | "state" | "in_words", string>>
>

async function answered(request: IncomingMessage, handler: McpHttpHandler): Promise<Response> {
  const { method = "GET", url = "/", headers } = request
  const body = await buffer(request)
  const sent = Object.entries(headers).map(([name, value]): [string, string] => [
    name,
    String(value),
  ])
  return handler.fetch(
    new Request(`http://127.0.0.1${url}`, {
      method,
      headers: sent.filter(([name]) => name !== "connection"),
      ...(body.length > 0 && { body: new Uint8Array(body) }),
    }),
  )
}

async function run(args: readonly string[]) {
  const child = spawn(node, args, { cwd: judges, stdio: ["ignore", "pipe", "pipe"] })
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close") as Promise<[number | null]>,
  ])
  return { code, stdout, stderr }
}
