import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"

import { bot, limitOrder, type Bot } from "../support/bot.ts"
import {
  countersign,
  makeInstallation,
  sandbox,
  serve,
  type Served,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { readRepositoryFile } from "../support/markdown.ts"
import { openPage, type Stage } from "../support/play-page.ts"
import { killAllNaming } from "../support/process-tree.ts"
import { addClient, makeTradingKeys, writePolicy } from "../support/trading-keys.ts"

const policy = `policy: desk
rules:
  - {name: trade, endpoints: [placeOrder], max_quantity: "0.5"}
  - {name: get-out, endpoints: [cancelOrder]}
hold:
  - {name: large, endpoints: [placeOrder], over_quantity: "0.4"}
limits:
  - {name: daily, count: orders, window: 24h, max: "10"}
`

describe("docs/operations/questions.md", { timeout: 240_000 }, () => {
  const page = openPage(readRepositoryFile("docs/operations/questions.md"))
  let installation: TemporaryInstallation
  let venue: Served
  let daemon: Served
  let stage: Stage
  let client: Bot

  before(async () => {
    venue = await sandbox()
    installation = await makeInstallation(["--venue", "sandbox", "--upstream", venue.url])
    const { dir, home } = installation
    await writePolicy(dir, policy)
    daemon = await serve(dir)
    await makeTradingKeys(dir)
    await run("agent", "approve", "later", "--generate", "--wallet", "main", "--valid-days", "20")
    await run("agent", "approve", "sooner", "--generate", "--wallet", "main", "--valid-days", "9")
    client = bot(daemon.url, await addClient(dir, "bot"))
    stage = { home, dir, url: daemon.url, token: "" }
    for (const [changes, status] of asked) {
      const answer = await client.post("/sign/v1/trade/orders", limitOrder(changes))
      assert.equal(answer.status, status, answer.text)
    }
  })
  after(async () => {
    await daemon.stop()
    await killAllNaming(installation.dir)
    await installation.remove()
    await venue.stop()
  })

  /** A purchase and a sale that are signed, one that is over the rule, and one that waits. */
  const asked: readonly (readonly [changes: Readonly<Record<string, unknown>>, status: number])[] =
    [
      [{}, 200],
      [{ is_buy: false }, 200],
      [{ quantity: "0.6" }, 403],
      [{ quantity: "0.45" }, 403],
    ]

  async function run(...args: readonly string[]): Promise<void> {
    const { code, stderr } = await countersign([...args, "--dir", installation.dir])
    assert.equal(code, 0, stderr)
  }

  const answers: readonly (readonly [question: string, answer: RegExp])[] = [
    ["Does it sign?", /^signing +signs what policies allow/m],
    [
      "Why was that order refused?",
      /quantity_over_max \(desk\/trade, policies\/trading\.yaml:3\)[^]*"refusal": \{/,
    ],
    ["Who signed this?", /bot placeOrder with \w+, by desk\/trade[^]*"signer"/],
    ["What is left today?", /desk\/daily.* 2 .*10/],
    ["What would a deny have stopped?", /^1 of 2 requests[^]*denied_by_rule +no-sells\/sells/m],
    ["Which agent ends next?", /^NAME.*\nsooner .* 8 .*\nlater .* 19 /m],
    ["What waits for a person?", /0\.45/],
    [
      "What changed in policy yesterday, and by whom?",
      /\(uid \d+\), policy reload .*\n.*policy: .*\n {8}policies\/no-sells\.yaml deny\/sells: - → \{/,
    ],
    ["How is it undone?", /^The earlier set is in force: /m],
    ["How is everything stopped but cancels?", /frozen/i],
  ]
  for (const [question, answer] of answers) {
    it(`answers: ${question}`, async () => assert.match(await page.play(question, stage), answer))
  }

  it("lets a bot cancel then, and nothing else", async () => {
    const post = (path: string, body: unknown) => client.post(`/sign/v1/trade/orders${path}`, body)
    assert.equal((await post("/cancel", { order_id: "1" })).status, 200)
    assert.equal((await post("", limitOrder())).json.code, "frozen")
  })

  it("has no block that wasn't played", () => assert.deepEqual(page.unplayed(), []))
})
