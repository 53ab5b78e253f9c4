import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"

import {
  countersign,
  makeInstallation,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { addClient, makeTradingKeys, writePolicy } from "../support/trading-keys.ts"

const policy = `policy: trading
applies_to: {clients: [maker]}
rules: [{name: all, endpoints: [placeOrder], max_expires_in: 10s}]
limits: [{name: daily, count: orders, window: 24h, max: "10"}]
`

describe("countersign policy show", { timeout: 300_000 }, () => {
  let installation: TemporaryInstallation
  before(async () => {
    installation = await makeInstallation()
    const { dir } = installation
    await writePolicy(dir, policy)
    await makeTradingKeys(dir)
    for (const name of ["maker", "taker", "gone"]) await addClient(dir, name)
    await countersign(["clients", "revoke", "gone", "--yes", "--dir", dir])
  })
  after(() => installation.remove())

  const show = (...more: readonly string[]) =>
    countersign(["policy", "show", "--dir", installation.dir, ...more])

  it("shows every client that isn't revoked, each with its entries", async () => {
    const { code, stdout } = await show()
    assert.equal(code, 0)
    const [maker = "", taker = "", ...more] = stdout.trimEnd().split("\n\n")
    assert.match(maker, /^maker uses the keys mm, main\. A request must be allowed/)
    assert.match(taker, /^taker uses the keys mm, main\. No rule allows it anything\.$/)
    assert.deepEqual(more, [])
  })

  it("shows one client that it is asked about, also a revoked one", async () => {
    const { stdout } = await show("--client", "taker")
    assert.equal(stdout, "taker uses the keys mm, main. No rule allows it anything.\n")
    assert.match((await show("--client", "gone")).stdout, /^gone uses/)
  })

  it("says windows as they are written", async () => {
    const { stdout } = await show("--client", "maker")
    assert.match(stdout, /valid for at most 10s/)
    assert.match(stdout, /orders: at most 10 in any 24h,/)
  })

  it("says that a client isn't there", async () => {
    const { code, stderr } = await show("--client", "nobody")
    assert.equal(code, 1)
    assert.match(stderr, /There is no client nobody/)
  })
})
