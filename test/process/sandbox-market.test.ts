import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, it } from "node:test"
import { promisify } from "node:util"

import { countersign, sandbox } from "../support/countersign.ts"
import { readRepositoryFile, sectionOf } from "../support/markdown.ts"

type Answer = { readonly code: string; readonly data: Readonly<Record<string, unknown>> }
type Listed = readonly Readonly<Record<string, unknown>>[]

const section = sectionOf(readRepositoryFile("docs/sandbox.md"), "A market")
const [start = "", calls = ""] = Array.from(section.matchAll(/```sh\n([\s\S]*?)```/g), (block) =>
  String(block[1]),
)

/** Starts the sandbox by the page's line, and runs the page's calls there. */
async function playedPage(): Promise<{
  readonly answers: readonly Answer[]
  readonly code: number | null
}> {
  const words = start.trim().split(" ")
  assert.deepEqual(words.slice(0, 6), "countersign sandbox --market volatile --seed 7".split(" "))
  const venue = await sandbox(words.slice(2))
  const script = calls.replace("http://127.0.0.1:8421", venue.url)
  const { stdout } = await promisify(execFile)("sh", ["-ec", script])
  const answers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Answer)
  return { answers, code: await venue.stop("SIGTERM") }
}

describe("countersign sandbox --market", () => {
  it("plays the page's example: an order fills, prices move, and what it came to is read", async () => {
    const { answers, code } = await playedPage()
    assert.deepEqual(
      answers.map((answer) => answer.code),
      ["0", "0", "0", "0", "0"],
    )
    const [placed = {}, , positions = {}, equity = {}, events = {}] = answers.map(
      ({ data }) => data,
    )
    assert.equal(placed["state"], "filled")
    const [position] = positions["list"] as Listed
    assert.ok(position)
    assert.equal(position["quantity"], "0.5")
    assert.notEqual(position["mark_price"], "64000")
    assert.notEqual(position["unrealised_profit"], "0")
    assert.notEqual(equity["margin_balance"], "1000000")
    const kinds = (events["list"] as Listed).map(({ kind }) => kind)
    assert.deepEqual(kinds, ["accepted", "filled", "ended"])
    assert.equal(code, 0)
  })

  it("replays a file of prices", async () => {
    await inDirectory(async (directory) => {
      const file = join(directory, "prices.csv")
      await writeFile(file, "time,symbol,price\n2026-05-28T12:00:00Z,BTC-PERP,70000\n")
      const venue = await sandbox(["--market", file])
      const response = await fetch(`${venue.url}/v1/market/ticker?symbol_id=1`)
      const { data } = (await response.json()) as Answer
      assert.equal(data["mark_price"], "70000")
      await venue.stop("SIGTERM")
    })
  })

  it("ends with 2 and one sentence for what it can't play", async () => {
    await inDirectory(async (directory) => {
      const file = join(directory, "prices.csv")
      await writeFile(file, "1,BTC-PERP,70000\n2,DOGE,1\n")
      const cases: readonly (readonly [readonly string[], RegExp])[] = [
        [["--market", file], /line 2: its symbol must be one of BTC-PERP, ETH-PERP, BTC-USD\.$/],
        [
          ["--market", "calmer"],
          /--market takes calm, volatile, crash or a file of time,symbol,price lines; calmer can't be read\.$/,
        ],
        [["--market", "calm", "--moving"], /--market goes with neither --moving nor --state\.$/],
        [
          ["--market", "calm", "--state", file],
          /--market goes with neither --moving nor --state\.$/,
        ],
        [
          ["--fault", "lag,ms=10"],
          /The fault lag is for a sandbox that was started with --market\.$/,
        ],
      ]
      for (const [args, sentence] of cases) {
        const ended = await countersign(["sandbox", "--port", "0", ...args])
        assert.equal(ended.code, 2, ended.stderr)
        assert.match(ended.stderr.trim(), sentence)
        assert.equal(ended.stdout, "")
      }
    })
  })
})

async function inDirectory(use: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "cs-sandbox-"))
  try {
    await use(directory)
  } finally {
    await rm(directory, { recursive: true, force: true, maxRetries: 10 })
  }
}
