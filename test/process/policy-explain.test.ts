import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"

import { limitOrder } from "../support/bot.ts"
import {
  countersign,
  countersignJson,
  makeInstallation,
  serve,
  type Served,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { addClient, makeTradingKeys, writePolicy } from "../support/trading-keys.ts"

const policy = `policy: trading
rules: [{name: day, endpoints: [placeOrder], hours: {zone: UTC, from: '08:00', to: '18:00'}, max_notional: '50000'}]
hold: [{name: large, over_quantity: '0.5'}]
`

const noon = "2031-05-30T12:00:00Z"

describe("countersign policy explain", { timeout: 300_000 }, () => {
  let installation: TemporaryInstallation
  before(async () => {
    installation = await makeInstallation()
    const { dir } = installation
    await writePolicy(dir, policy)
    await makeTradingKeys(dir)
    await addClient(dir, "bot")
    await countersignJson(["prices", "set", "BTC-PERP", "64000", "--dir", dir])
  })
  after(() => installation.remove())

  const explain = (order: object, at: string) => {
    const args = ["policy", "explain", "-", "--client", "bot", "--at", at]
    return countersign([...args, "--dir", installation.dir], JSON.stringify(order))
  }

  it("judges as of another time, with prices as old then as they are now", async () => {
    const inHours = await explain(limitOrder(), "2031-05-30T17:59:59Z")
    assert.equal(inHours.code, 0, inHours.stdout + inHours.stderr)
    const later = await explain(limitOrder(), "2031-05-30T18:00:00Z")
    assert.equal(later.code, 3)
    assert.match(later.stdout, /outside_hours/)
    assert.equal((await explain(limitOrder(), "2021-05-30T12:00:00Z")).code, 0)
  })

  it("ends with 5 where the request would wait for a person", async () => {
    const { code, stdout } = await explain(limitOrder({ quantity: "0.6" }), "2031-05-30T12:00:00Z")
    assert.equal(code, 5)
    assert.match(stdout, /^It would be refused: A person must release this request/)
  })

  describe("--files", () => {
    const limited = `${policy.replace("0.5", "0.7")}limits: [{name: few, sum: submitted_notional, window: 1h, max: '1000'}]\n`
    const byFiles = async (order = limitOrder()) => {
      const args = ["policy", "explain", "-", "--client", "bot", "--files", "--at", noon]
      return countersign([...args, "--dir", installation.dir], JSON.stringify(order))
    }
    before(async () => {
      daemon = await serve(installation.dir)
    })
    after(() => daemon.stop())
    let daemon: Served

    it("judges by the files on disk, and leaves those in force", async () => {
      const large = limitOrder({ quantity: "0.6" })
      await writePolicy(installation.dir, policy.replace("0.5", "0.7"))
      assert.equal((await byFiles(large)).code, 0)
      const inForce = await explain(large, noon)
      assert.equal(inForce.code, 5)
      assert.match(inForce.stdout, /^The files on disk aren't in force: policies\/trading\.yaml/)
      assert.equal((await byFiles(limitOrder({ quantity: "0.75" }))).code, 5)
    })

    it("says of which limit nothing is counted yet", async () => {
      await writePolicy(installation.dir, limited)
      const { code, stdout } = await byFiles()
      assert.equal(code, 3)
      assert.match(stdout, /^note: trading\/few isn't in force, so nothing was counted of it/m)
    })

    it("tells the mistake where the files are broken", async () => {
      await writePolicy(installation.dir, `${policy}rulez: []\n`)
      const { code, stderr } = await byFiles()
      assert.equal(code, 1)
      assert.match(stderr, /trading\.yaml:\d+:1: unknown key "rulez"/)
      await writePolicy(installation.dir, policy)
    })
  })

  it("takes no time that isn't one", async () => {
    assert.equal((await explain(limitOrder(), "7d")).code, 2)
  })
})
