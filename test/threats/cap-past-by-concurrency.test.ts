import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { pathsOf } from "../../src/vault/config/installation.ts"
import { reload } from "../../src/vault/operator/files-in-force.ts"
import {
  askAll,
  byCount,
  byNotional,
  limitedPolicy,
  openLimited,
  split,
} from "../support/limited-vault.ts"
import {
  assertSigned,
  cancelPath,
  limitOrder,
  outcomeOf,
  readBody,
  writePolicies,
} from "../support/open-test-vault.ts"
import { readLedger } from "../support/read-ledger.ts"

describe("200 requests at once against a limit with room for ten", () => {
  for (const [what, limit] of [
    ["by count", byCount],
    ["by notional, the last of them exactly at the limit", byNotional],
  ] as const) {
    it(`sign ten of one client, ${what}`, async (t) => {
      const { test, bots } = await openLimited(t, { limit })
      const { signed, refused } = split(await askAll(test, bots))
      assert.deepEqual([signed.length, refused.length], [10, 190])
      for (const { refusal } of refused) assert.equal(refusal.code, "limit_exhausted")
    })

    it(`sign ten of three clients together when it is for all, ${what}`, async (t) => {
      const { test, bots } = await openLimited(t, { limit, clients: 3 })
      assert.equal(split(await askAll(test, bots)).signed.length, 10)
    })

    it(`sign ten for each of three clients when it is per client, ${what}`, async (t) => {
      const perClient = limit.replace("}", ", per: client}")
      const { test, bots } = await openLimited(t, { limit: perClient, clients: 3 })
      const answers = await askAll(test, bots)
      for (const index of bots.keys()) {
        const own = answers.filter((_, asked) => asked % bots.length === index)
        assert.equal(split(own).signed.length, 10)
      }
    })

    it(`sign ten for each of two keys when it is per key, ${what}`, async (t) => {
      const perKey = limit.replace("}", ", per: key}")
      const { test, bots } = await openLimited(t, { limit: perKey })
      for (const key of ["mm", "other"]) {
        const answers = await Promise.all(
          Array.from({ length: 50 }, () => test.sign(bots[0] ?? "", limitOrder(), { key })),
        )
        assert.equal(split(answers).signed.length, 10)
      }
    })
  }

  it("sign nine when the tenth would be a hundred-millionth over it", async (t) => {
    const limit = '{name: cap, sum: submitted_notional, window: 1h, max: "62999.99999999"}'
    const { test, bots } = await openLimited(t, { limit })
    assert.equal(split(await askAll(test, bots)).signed.length, 9)
  })

  it("leave no nonce of those that are refused, and tell what is used and when it frees", async (t) => {
    const { test, bots } = await openLimited(t, { limit: byNotional })
    const { signed, refused } = split(await askAll(test, bots))
    const fromMs = test.vault.now() + 3_590_000
    for (const { refusal } of refused) {
      const { frees_at, retry_after_ms, ...others } = refusal.data as Record<string, unknown>
      assert.deepEqual(others, {
        ...{ policy: "limited", limit: "cap" },
        ...{ max: "63000", used: "63000", asked: "6300", room: "0" },
      })
      assert.ok(Number(frees_at) > fromMs, `frees at ${String(frees_at)}`)
      assert.ok(Number(retry_after_ms) > 3_590_000 && Number(retry_after_ms) <= 3_610_000)
    }
    await test.close()
    const rows = readLedger(pathsOf(test.installation).ledgerFile)
    const nonces = rows.filter(({ kind }) => kind === "request").map(({ row }) => row["nonce"])
    assert.deepEqual(
      nonces,
      signed.map((answer) => readBody(answer)["nonce"]),
    )
    for (const { row } of rows.filter(({ kind }) => kind === "refusal")) {
      assert.equal("nonce" in row, false)
    }
  })

  it("leave the signer's next nonce free, so that refusals don't wear its pace down", async (t) => {
    const { test, bots } = await openLimited(t, { limit: byCount })
    for (let round = 0; round < 8; round++) await askAll(test, bots)
    const beforeMs = test.vault.now()
    const answer = await test.sign(bots[0] ?? "", { order_id: "1" }, { path: cancelPath })
    assertSigned(answer)
    assert.ok(Number(readBody(answer)["nonce"]) <= Math.max(beforeMs, test.vault.now()))
  })
})

describe("what a limit has used", () => {
  for (const [what, again] of [
    ["the same limit", byCount],
    ["a limit of another name", byCount.replace("cap", "renamed")],
    ["a limit that is added later", byNotional],
  ] as const) {
    for (const how of ["a restart", "a reload"] as const) {
      it(`counts after ${how} for ${what}`, async (t) => {
        const opened = await openLimited(t, { limit: byCount, keys: "on_disk" })
        const [bot = ""] = opened.bots
        for (let count = 0; count < 9; count++)
          assertSigned(await opened.test.sign(bot, limitOrder()))
        await writePolicies(opened.test.installation, [limitedPolicy(again)])
        const test = how === "a reload" ? opened.test : await opened.test.reopen()
        t.after(() => test.remove())
        if (how === "a reload") await reload(test.vault)
        const answers = await Promise.all([1, 2, 3].map(() => test.sign(bot, limitOrder())))
        assert.deepEqual(answers.map(outcomeOf), ["signed", "limit_exhausted", "limit_exhausted"])
      })
    }
  }

  it("isn't more for a limit that a policy of another client holds", async (t) => {
    const limit = `${byCount}\napplies_to: {clients: [bot0]}`
    const { test, bots } = await openLimited(t, { limit, clients: 2 })
    const sign = (token: string) => test.sign(token, limitOrder())
    for (let count = 0; count < 12; count++) await sign(bots[1] ?? "")
    for (let count = 0; count < 10; count++) assertSigned(await sign(bots[0] ?? ""))
    assert.equal(outcomeOf(await sign(bots[0] ?? "")), "limit_exhausted")
    assertSigned(await sign(bots[1] ?? ""))
  })
})
