import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { chmod, rename, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { after, before, describe, it } from "node:test"
import { setTimeout as pause } from "node:timers/promises"

import { countersign, countersignProcess } from "../support/countersign.ts"
import { temporaryDirectory } from "../support/link-peer.ts"
import { mcpArgs, startMcp, writeToken, type McpClient } from "../support/mcp-client.ts"
import { openMcpSite, type McpSite } from "../support/mcp-site.ts"
import { bin, node } from "../support/published.ts"
import { addClient, writePolicy } from "../support/trading-keys.ts"

const order = { symbol: "BTC-PERP", side: "buy", type: "limit", price: "63000", quantity: "0.1" }
const large = { ...order, quantity: "0.6" }

describe("countersign mcp", { timeout: 180_000 }, () => {
  let site: McpSite
  let agent: McpClient
  before(async () => {
    site = await openMcpSite()
    agent = await startMcp(site.place)
  })
  after(async () => {
    await agent.close()
    await site.close()
  })

  async function names(client: McpClient): Promise<readonly string[]> {
    const { tools } = await client.client.listTools()
    return tools.map(({ name }) => name)
  }

  it("lists the tools that the token has a rule or a right for, and announces no changes", async () => {
    assert.deepEqual(await names(agent), [
      ...["whoami", "limits", "record"],
      ...["check_order", "place_order", "cancel_order", "cancel_all"],
    ])
    assert.deepEqual(agent.client.getServerCapabilities()?.tools, { listChanged: false })
  })

  it("says how an order is placed where clients cut a description off", async () => {
    const { tools } = await agent.client.listTools()
    const place = tools.find(({ name }) => name === "place_order")?.description ?? ""
    assert.match(place.slice(0, 240), /check_order.*`check` and the same order.*may be refused/)
    for (const { name, description = "" } of tools) assert.ok(description.length <= 240, name)
  })

  it("offers the symbols of venue.yaml by name, and tells operations and reads by the policy", async () => {
    const { symbols, operations, reads } = await agent.call("whoami")
    assert.deepEqual(symbols, ["BTC-PERP", "ETH-PERP", "BTC-USD"])
    const trading = ["placeOrder", "cancelOrder", "cancelAll"]
    assert.deepEqual([operations, reads], [[...trading, "approveAgent", "revokeAgent"], []])
  })

  it("checks, places once however often it is called, and cancels", async () => {
    const checked = await agent.call("check_order", { order })
    assert.deepEqual([checked["would_sign"], checked["worst"]], [true, "6300"])
    assert.equal(checked["in_words"], "buy 0.1 BTC-PERP at 63,000 limit")
    const placing = { check: checked["check"], order }
    const placed = await agent.call("place_order", placing)
    assert.deepEqual([placed["ok"], placed["state"], placed["repeated"]], [true, "open", false])
    const again = await agent.call("place_order", placing)
    assert.deepEqual(again, { ...placed, repeated: true })
    assert.deepEqual(await site.openOrders(), [placed["order_id"]])
    const record = await agent.call("record", { id: placed["record"] })
    assert.deepEqual([record["state"], record["operation"]], ["accepted", "placeOrder"])
    const cancelled = await agent.call("cancel_order", { order_id: placed["order_id"] })
    assert.deepEqual([cancelled["ok"], await site.openOrders()], [true, []])
  })

  it("refuses another order than the one that was checked", async () => {
    const { check } = await agent.call("check_order", { order })
    const other = await agent.call("place_order", { check, order: { ...order, quantity: "0.2" } })
    assert.equal(other["code"], "check_mismatch")
    const unchecked = await agent.call("place_order", { check: "rec_none", order })
    assert.deepEqual([unchecked["ok"], await site.openOrders()], [false, []])
  })

  it("tells a refusal as an answer, and to stop at the third", async () => {
    const { check, refusal } = await agent.call("check_order", { order: large })
    const { reason, allowed } = refusal as Record<string, unknown>
    assert.deepEqual([reason, allowed], ["quantity_over_max", "0.5"])
    const told: unknown[] = []
    for (let call = 0; call < 3; call++) {
      const refused = await agent.call("place_order", { check, order: large })
      assert.equal(refused["reason"], "quantity_over_max")
      told.push(refused["do"])
    }
    assert.equal(told[2], "stop")
    assert.notEqual(told[1], "stop")
  })

  it("refuses what isn't in a tool's input, and tools that aren't there", async () => {
    const { isError } = await agent.client.callTool({ name: "cancel_all", arguments: { x: 1 } })
    assert.equal(isError, true)
    for (const name of ["withdraw", "constructor", "__proto__"]) {
      await assert.rejects(agent.client.callTool({ name, arguments: {} }), name)
    }
  })

  it("keeps what the venue answers apart", async () => {
    const cancelled = await agent.call("cancel_order", { order_id: "7" })
    assert.equal(cancelled["code"], "venue_refused")
    const { untrusted, text } = cancelled["venue"] as Record<string, unknown>
    assert.deepEqual([untrusted, typeof text], [true, "string"])
  })

  it("says where to look when it isn't known what became of an order", async () => {
    const { check } = await agent.call("check_order", { order })
    await site.fault({ kind: "drop_after", times: 1, path: "/v1/trade/orders" })
    const lost = await agent.call("place_order", { check, order })
    assert.equal(lost["code"], "outcome_unknown")
    assert.match(String(lost["do"]), /^look at record rec_\w+; place nothing again/)
    const id = String(lost["record"])
    // What became of it is recorded after it is answered.
    while ((await agent.call("record", { id }))["state"] !== "unknown") await pause(250)
    const again = await agent.call("place_order", { check, order })
    assert.equal(again["record"] ?? id, id)
    assert.equal((await site.openOrders()).length, 1)
    await agent.call("cancel_all")
  })

  it("places one order where it is killed between sending and the answer, and asked again", async () => {
    const { check } = await agent.call("check_order", { order })
    await site.fault({ kind: "latency", ms: 1_000, times: 1, path: "/v1/trade/orders" })
    const killed = await startMcp(site.place)
    const lost = killed.client.callTool({ name: "place_order", arguments: { check, order } })
    await pause(500)
    process.kill(killed.pid, "SIGKILL")
    await assert.rejects(lost)
    const second = await startMcp(site.place)
    try {
      await pause(1_000)
      const placed = await second.call("place_order", { check, order })
      assert.deepEqual([placed["ok"], placed["repeated"]], [true, true])
      assert.deepEqual(await site.openOrders(), [placed["order_id"]])
      await second.call("cancel_all")
    } finally {
      await second.close()
    }
  })

  it("lists with --read-only and --tools what they leave", async () => {
    const reading = await startMcp(site.place, ["--read-only"])
    const listed = await names(reading)
    await reading.close()
    assert.deepEqual(listed, ["whoami", "limits", "record", "check_order"])
    const few = await startMcp(site.place, ["--tools", "limits,cancel_all"])
    const both = await names(few)
    await few.close()
    assert.deepEqual(both, ["limits", "cancel_all"])
  })

  it("has freeze_me for a client with the right, which stops that client", async () => {
    const options = ["--keys", "mm", "--right", "freeze"]
    const token = await addClient(site.daemon.dir, "careful", options)
    const home = temporaryDirectory()
    const tokenFile = await writeToken(home.path, token)
    const careful = await startMcp({ url: site.daemon.url, tokenFile })
    try {
      assert.ok((await names(careful)).includes("freeze_me"))
      assert.equal((await careful.call("freeze_me", { reason: "it loops" }))["frozen"], true)
      const checked = await careful.call("check_order", { order })
      assert.equal((checked["refusal"] as Record<string, unknown>)["code"], "frozen")
      assert.equal((await agent.call("check_order", { order }))["would_sign"], true)
    } finally {
      await careful.close()
      home.remove()
    }
  })

  it("places what a policy wants checked, and lists `read` where it lets something be read", async () => {
    const { dir, url } = site.daemon
    const policy =
      "policy: checked\napplies_to: { clients: [checked] }\nrequire_check: 30s\nreads: [/v1/market/*]\n"
    await writePolicy(dir, policy, "checked.yaml")
    const reloaded = await countersign(["policy", "reload", "--dir", dir])
    assert.equal(reloaded.code, 0, reloaded.stderr)
    const token = await addClient(dir, "checked", ["--keys", "mm", "--forward-only"])
    const home = temporaryDirectory()
    const tokenFile = await writeToken(home.path, token)
    const checked = await startMcp({ url, tokenFile })
    try {
      assert.ok((await names(checked)).includes("read"))
      const { check, would_sign } = await checked.call("check_order", { order })
      assert.equal(would_sign, true)
      assert.equal((await checked.call("place_order", { check, order }))["ok"], true)
      assert.equal((await checked.call("cancel_all"))["ok"], true)
    } finally {
      await checked.close()
      home.remove()
    }
  })

  it("refuses with --paper a token that isn't a paper client's", async () => {
    const { code, stdout, stderr } = await countersign([...mcpArgs(site.place), "--paper"])
    assert.deepEqual([code, stdout], [2, ""])
    assert.match(stderr, /takes a token of a paper client/)
  })

  it("says that no daemon answers, and serves nothing", async () => {
    const nowhere = { ...site.place, url: "http://127.0.0.1:9" }
    const { code, stdout, stderr } = await countersign(mcpArgs(nowhere))
    assert.notEqual(code, 0)
    assert.equal(stdout, "")
    assert.match(stderr, /The daemon doesn't answer/)
  })

  it("takes a token only from a file that is its user's alone, and quotes nothing of it", async () => {
    const home = temporaryDirectory()
    const { url } = site.place
    const tokenFile = await writeToken(home.path, site.daemon.token)
    const said = async (file: string) => {
      const { code, stdout, stderr } = await countersign(mcpArgs({ url, tokenFile: file }))
      assert.notEqual(code, 0)
      assert.equal(stdout, "")
      assert.doesNotMatch(stderr, /cs_/)
      return stderr
    }
    await chmod(tokenFile, 0o640)
    assert.match(await said(tokenFile), /open to other users/)
    await chmod(tokenFile, 0o600)
    await rename(tokenFile, join(home.path, "real"))
    await symlink("real", tokenFile)
    assert.match(await said(tokenFile), /symlink/)
    assert.match(await said("real"), /absolute path/)
    assert.match(await said(join(home.path, "none")), /doesn't exist/)
    const other = join(home.path, "other")
    await writeFile(other, "cs_two\ncs_tokens\n", { mode: 0o600 })
    assert.match(await said(other), /one token/)
    home.remove()
  })

  it("keeps the token out of its arguments and environment, and its memory out of core files", () => {
    for (const file of ["cmdline", "environ"]) {
      assert.doesNotMatch(readFileSync(`/proc/${agent.pid}/${file}`, "latin1"), /cs_\w{20}/)
    }
    assert.match(readFileSync(`/proc/${agent.pid}/coredump_filter`, "utf8"), /^0+\n$/)
  })

  /** Runs it on lines of JSON-RPC, to the end of its input. */
  function spoken(lines: readonly string[]) {
    return countersignProcess(mcpArgs(site.place), lines.map((line) => `${line}\n`).join(""))
  }

  function framed(method: string, params: object, id = 1): string {
    return JSON.stringify({ jsonrpc: "2.0", id, method, params })
  }

  const initialize = framed("initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "raw", version: "1" },
  })

  it("ends with 0 at the end of its input, and writes nothing but the protocol", async () => {
    const { code, stdout, stderr } = await spoken([initialize, "not json", '{"a":1}'])
    assert.deepEqual([code, stderr], [0, ""])
    const answers = stdout.trimEnd().split("\n")
    for (const line of answers) {
      assert.equal((JSON.parse(line) as { jsonrpc: string }).jsonrpc, "2.0")
    }
  })

  it("ends with 1 at a message over 256 KiB, and takes one of 200 KiB", async () => {
    const padded = (length: number) => framed("ping", { _meta: { pad: "x".repeat(length) } }, 2)
    const taken = await spoken([initialize, padded(200_000)])
    assert.equal(taken.code, 0, taken.stderr)
    const refused = await spoken([initialize, padded(300_000)])
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /longer than 256 KiB/)
    assert.doesNotMatch(refused.stderr, /xxx/)
  })

  it("ends quietly where nobody reads its output any more", async () => {
    const server = spawn(node, [bin, ...mcpArgs(site.place)])
    const said = text(server.stderr)
    server.stdin.on("error", () => undefined) // it may end before the last line
    server.stdin.write(`${initialize}\n`)
    await once(server.stdout, "data")
    server.stdout.destroy()
    const ended = once(server, "exit") as Promise<[number | null]>
    for (let id = 2; id < 10; id++) server.stdin.write(`${framed("ping", {}, id)}\n`)
    assert.deepEqual([(await ended)[0], await said], [0, ""])
  })

  it("places one order for two calls with one id, and one that its client left unanswered", async () => {
    const { check } = await agent.call("check_order", { order })
    const call = framed("tools/call", { name: "place_order", arguments: { check, order } }, 7)
    const { code } = await spoken([initialize, call, call])
    assert.equal(code, 0)
    const placed = await agent.call("place_order", { check, order })
    assert.equal(placed["ok"], true)
    assert.deepEqual(await site.openOrders(), [placed["order_id"]])
    await agent.call("cancel_all")
  })
})
