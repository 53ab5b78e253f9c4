import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { readdirSync } from "node:fs"
import { text } from "node:stream/consumers"
import { after, before, describe, it } from "node:test"

import { countersignProcess, startCountersign } from "../support/countersign.ts"
import { temporaryDirectory } from "../support/link-peer.ts"
import { readRepositoryFile } from "../support/markdown.ts"
import { needs } from "../support/needs.ts"
import { openPage } from "../support/play-page.ts"
import { killAllNaming, processesNaming } from "../support/process-tree.ts"

/** The last line that it prints when it stays up. */
const lastLine = /\/whoami\n$/

/** What each curl line of the demo is answered, by the comment above it. */
const answers: Readonly<Record<string, RegExp>> = {
  "place an order": /^\{"code":"0".*"order_id":"\d+"/,
  "have it signed and sent back, not forwarded": /^\{.*"nonce":\d{13},.*"signature":\{"r":"0x/,
  "ask whether it would be signed, and by which rule": /"would_sign":false.*"line":3/,
  "see what this token may do": /"client":"bot"/,
}

/** What each section of the page is answered. */
const quickstart: readonly (readonly [title: string, says: RegExp])[] = [
  ["Who am I?", /"default_key":"mm"/],
  ["Would it be signed?", /"would_sign":true/],
  ["Place it", /^countersign-source: venue/im],
  ["No answer? The same again", /^countersign-repeat: 1/im],
  ["When it says no", /"code":"policy_denied"/],
  ["What became of it, and out", /"state":"accepted".*\{"code":"0"/],
]

describe("countersign demo", { timeout: 120_000 }, () => {
  let temporary: ReturnType<typeof temporaryDirectory>
  let environment: Readonly<Record<string, string>>
  before(() => {
    temporary = temporaryDirectory()
    environment = { TMPDIR: temporary.path }
  })
  after(async () => {
    await killAllNaming(temporary.path)
    temporary.remove()
  })

  function assertNothingLeft(): void {
    assert.deepEqual(readdirSync(temporary.path), [])
    assert.deepEqual(processesNaming(temporary.path), [])
  }

  it("shows with --once what is signed and what is refused, and ends", async () => {
    const { code, stdout, stderr } = await countersignProcess(["demo", "--once"], "", {
      environment,
    })
    assert.equal(code, 0, stderr)
    const [start, approval, order, overLimit, agentKey] = stdout.split(/^(?=\d\. )/m)
    assert.match(start ?? "", /daemon listens on http:\/\/127\.0\.0\.1:\d+, the sandbox /)
    assert.match(approval ?? "", /approve-agent.*← 200 from the venue: \{"code":"0"/s)
    assert.match(order ?? "", /← 200 from the venue: \{"code":"0".*"order_id":"\d+"/s)
    assert.match(overLimit ?? "", /← 403 from the daemon: \{"code":"policy_denied"/)
    assert.match(overLimit ?? "", /^ {4}refused by rule quote, policies\/example\.yaml:3$/m)
    assert.match(agentKey ?? "", /← 403 from the daemon: \{"code":"wallet_key_required"/)
    assert.equal(stderr, "")
    assertNothingLeft()
  })

  it("shows with --mcp what an agent's tools answer on paper, and ends with --once", async () => {
    const { code, stdout, stderr } = await countersignProcess(["demo", "--mcp", "--once"], "", {
      environment,
    })
    assert.equal(code, 0, stderr)
    const [, checked, placed, again, refused, cancelled] = stdout.split(/^(?=\d\. )/m)
    assert.match(
      checked ?? "",
      /← \{"ok":true,"check":"rec_\w+".*"would_sign":true,"in_words":"PAPER: buy/,
    )
    assert.match(placed ?? "", /← \{"ok":true,.*"order_id":"\d+","repeated":false/)
    assert.match(again ?? "", /← \{"ok":true,.*"repeated":true/)
    assert.match(
      refused ?? "",
      /"would_sign":false.*"reason":"notional_over_max".*"do":"fix_request".*"fits":\{"quantity":/,
    )
    assert.match(cancelled ?? "", /← \{"ok":true,.*"state":"cancelled"/)
    assert.equal(stderr, "")
    assertNothingLeft()
  })

  it("prints curl lines that do what they say", needs("curl", "apt-get install curl"), async () => {
    const demo = await startCountersign(["demo"], lastLine, { environment })
    try {
      const lines = [...demo.stdout().matchAll(/^# (.+)\n(curl .+)$/gm)]
      assert.deepEqual(
        lines.map(([, title]) => title),
        Object.keys(answers),
      )
      for (const [, title = "", line = ""] of lines) {
        assert.match(await shell(line), answers[title] ?? /^$/)
      }
      assert.equal(await demo.stop("SIGTERM"), 0)
      assert.equal(demo.stderr(), "")
      assertNothingLeft()
    } finally {
      await demo.stop("SIGKILL")
    }
  })

  it("plays docs/http-api/quickstart.md", needs("curl", "apt-get install curl"), async () => {
    const page = openPage(readRepositoryFile("docs/http-api/quickstart.md"))
    const shellsOwn = temporaryDirectory()
    const { path: home } = shellsOwn
    const demo = await startCountersign(["demo"], lastLine, { environment })
    try {
      const [, token = "", url = ""] =
        /Bearer (cs_[\w-]+)'.* (http:\S+)\/whoami\n$/.exec(demo.stdout()) ?? []
      for (const [title, says] of quickstart) {
        assert.match(await page.play(title, { home, dir: home, url, token }), says, title)
      }
      assert.deepEqual(page.unplayed(), ["Start something to talk to"])
    } finally {
      await demo.stop("SIGTERM")
      shellsOwn.remove()
    }
    assertNothingLeft()
  })

  for (const [signal, when] of [
    ["SIGINT", "on Ctrl-C"],
    ["SIGHUP", "when its terminal is closed"],
  ] as const) {
    it(`ends with 0 ${when}`, async () => {
      const demo = await startCountersign(["demo"], lastLine, { environment })
      assert.equal(await demo.stop(signal), 0)
      assertNothingLeft()
    })
  }
})

async function shell(line: string): Promise<string> {
  const child = spawn("sh", ["-c", line], { stdio: ["ignore", "pipe", "inherit"] })
  return text(child.stdout)
}
