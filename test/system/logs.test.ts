import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { after, before, describe, it } from "node:test"

import { bot, limitOrder } from "../support/bot.ts"
import {
  countersignProcess,
  makeInstallation,
  serve,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { bin } from "../support/published.ts"
import { askHttp } from "../support/gate.ts"
import { pageOfLogs } from "../support/logs-page.ts"
import { fencedBlocks, sectionOf } from "../support/markdown.ts"
import { needs } from "../support/needs.ts"
import { killAllNaming, until } from "../support/process-tree.ts"
import { needsTerminal, onTerminal, shellLine } from "../support/terminal.ts"
import { addClient, makeTradingKeys, tradingPolicy, writePolicy } from "../support/trading-keys.ts"
import { ctrlC } from "../support/typist.ts"

const page = pageOfLogs()
const path = "/sign/v1/trade/orders"
/** What no line may have: each goes in by another way. */
const canary = "canary"
const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
/** Clears a screen, begins a line, and turns letters round. */
const reason = `drill\u001b[2J\r\nfalse line \u202e\u009b1m`
const shownReason = String.raw`drill\u001b[2J\u000d\u000afalse line \u202e\u009b1m`
const moves = /[\p{Cf}\p{Zl}\p{Zp}]|(?![\r\n])\p{Cc}/u

describe("the log of countersign serve", { timeout: 120_000 }, () => {
  let installation: TemporaryInstallation
  /** What was written at the level debug while all kinds of things were asked. */
  let said = ""
  let lines: readonly Readonly<Record<string, unknown>>[] = []
  before(async () => {
    installation = await makeInstallation()
    await writePolicy(installation.dir, tradingPolicy)
    const daemon = await serve(installation.dir, ["--log-level", "debug"])
    await makeTradingKeys(installation.dir)
    await askAll(
      daemon.url,
      await addClient(installation.dir, "bot", ["--keys", "mm", "--right", "freeze"]),
    )
    assert.equal(await daemon.stop(), 0)
    const isWhole = () => (daemon.stderr().includes('"event":"stopping"') ? true : undefined)
    await until(isWhole, "all that was logged is read")
    said = daemon.stderr()
    lines = said
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  })
  after(async () => {
    await killAllNaming(installation.home)
    await installation.remove()
  })

  /** An order that is signed, one that is refused, garbage by every way in, and a freeze with a nasty reason. */
  async function askAll(url: string, token: string): Promise<void> {
    const client = bot(url, token)
    const traced = { traceparent: `00-${trace}-00f067aa0ba902b7-01` }
    assert.equal((await client.post(path, limitOrder(), traced)).status, 200)
    assert.equal((await client.post(path, limitOrder({ quantity: "9" }))).status, 403)
    const port = Number(new URL(url).port)
    const usual = { "content-type": "application/json", authorization: `Bearer ${token}` }
    const ask = (at: string, body: string, headers: Readonly<Record<string, string>> = {}) =>
      askHttp(port, { method: "POST", path: at, body, headers: { ...usual, ...headers } })
    const garbage = [
      ask(path, `{"${canary}": `),
      ask(path, JSON.stringify({ ...limitOrder(), [canary]: canary })),
      ask(`/sign/v1/${canary}?${canary}=${canary}`, "{}"),
      ask(`/${canary}`, canary),
      ask(path, "{}", { authorization: `Bearer cs_${canary}` }),
      ask(path, "{}", { "idempotency-key": canary, "countersign-key": canary }),
    ]
    for (const { status } of await Promise.all(garbage)) assert.ok(status >= 400 && status < 500)
    const frozen = await client.post("/freeze", { scope: "client", name: "bot", reason })
    assert.equal(frozen.status, 200, frozen.text)
  }

  it("has every line's event and fields in docs/logs.md, at debug too", () => {
    for (const { time, level, event, ...others } of lines) {
      const row = page.events.get(String(event))
      assert.ok(row !== undefined, `give the event "${String(event)}" a row in docs/logs.md`)
      assert.ok(row.levels.includes(String(level)), `"${String(event)}" comes at ${String(level)}`)
      assert.match(String(time), /^\d{4}-\d\d-\d\dT.*Z$/)
      for (const field of Object.keys(others)) {
        assert.ok(
          row.fields.includes(field),
          `give the row of "${String(event)}" the field ${field}`,
        )
      }
    }
    const events = new Set(lines.map(({ event }) => event))
    for (const event of ["listening", "recorded", "refused", "request", "frozen", "stopping"]) {
      assert.ok(events.has(event), event)
    }
    assert.ok(lines.some((line) => line["event"] === "request" && line["trace"] === trace))
  })

  it("has nothing of a request's body, path or headers", () => {
    assert.equal(said.includes(canary), false)
    const { quantity } = limitOrder() as { quantity: string }
    assert.equal(said.includes(`"${quantity}"`), false)
  })

  it("has a client's reason so that it moves no cursor, and reads back as it was", () => {
    assert.doesNotMatch(said.replaceAll("\n", ""), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    const frozen = lines.find(({ event }) => event === "frozen")
    assert.ok(String(frozen?.["message"]).includes(reason))
  })

  it("is read by the lines of docs/logs.md", needs("jq", "apt install jq"), () => {
    const [shown = ""] = fencedBlocks(sectionOf(page.text, "Read them"), "sh")
    const filters = shown
      .split("\n")
      .flatMap((line) => line.split(" | ").slice(1).join(" | ") || [])
    const record = lines.find(({ event }) => event === "request")?.["record"]
    const found = filters.map((filter) => {
      const asked = filter.replace(/rec_\w+/, String(record))
      return execFileSync("sh", ["-c", asked], { input: `not JSON\n${said}`, encoding: "utf8" })
    })
    const [refused = "", ofBot = "", ofRecord = "", ...more] = found
    assert.deepEqual(more, [])
    const count = (is: (line: (typeof lines)[number]) => boolean) => lines.filter(is).length
    const linesOf = (text: string) => text.trimEnd().split("\n")
    assert.equal(
      linesOf(refused).length,
      count((line) => line["event"] === "refused"),
    )
    assert.equal(
      linesOf(ofBot).length,
      count((line) => line["client"] === "bot"),
    )
    assert.match(linesOf(ofBot)[0] ?? "", /^\S+\t\w+\trec_\w+$/)
    assert.equal(
      linesOf(ofRecord).length,
      count((line) => line["record"] === record),
    )
  })

  it(
    "is in words on a terminal, from both processes, and so is what it warns of",
    needsTerminal,
    async () => {
      const { dir } = installation
      const args = ["serve", "--dir", dir, "--port", "0", "--log-level", "debug"]
      // The shell's own end by Ctrl-C isn't asked for.
      const line = `exec ${shellLine([process.execPath, bin, ...args])}`
      const { code, screen } = await onTerminal(line, [
        { after: "listening on http://", keys: ctrlC },
      ])
      assert.equal(code, 0, screen)
      assert.match(screen, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d debug {2}listening {2}port=\d+\r?$/m)
      assert.ok(
        screen.includes(`frozen by bot; cancels and reduce-only orders stay open: ${shownReason}`),
        screen,
      )
      assert.doesNotMatch(screen, moves)
      assert.equal(screen.includes('{"time"'), false)
    },
  )

  for (const [what, args, environment] of [
    ["an option", ["--log-level", "loud"], {}],
    ["the environment", [], { COUNTERSIGN_LOG_LEVEL: "loud" }],
  ] as const) {
    it(`is refused a level that there isn't, by ${what}`, async () => {
      const asked = ["serve", "--dir", installation.dir, ...args]
      const { code, stderr } = await countersignProcess(asked, "", { environment })
      assert.equal(code, 2)
      assert.match(stderr, /'--log-level <level>' .*Allowed choices are debug, info, warn, error\./)
    })
  }
})
