import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"

import { pathsOf } from "../../src/vault/config/installation.ts"
import { signRequest } from "../../src/vault/request/sign-request.ts"
import { ledgerTime } from "../support/fake-clock.ts"
import {
  assertSigned,
  callOf,
  limitOrder,
  openTestVault,
  readBody,
  type TestVault,
} from "../support/open-test-vault.ts"
import { readLedger } from "../support/read-ledger.ts"

describe("a nonce", () => {
  let test: TestVault
  let tokens: readonly string[]
  let last = 0
  before(async () => {
    test = await openTestVault()
    await test.addKey({ name: "mm", role: "agent" })
    const names = ["bot", "other"]
    tokens = await Promise.all(names.map((name) => test.addClient({ name, keys: ["mm"] })))
  })
  after(() => test.remove())

  function assertRising(nonces: readonly number[]): void {
    for (const nonce of nonces) {
      assert.ok(nonce > last, `${nonce} after ${last}`)
      last = nonce
    }
  }

  it("is another, higher one for each of 200 requests at once, whoever asks with the key", async () => {
    const asks = Array.from({ length: 200 }, (_, index) =>
      test.sign(tokens[index % 2] ?? "", limitOrder()),
    )
    const nonces = (await Promise.all(asks)).map((answer) => {
      assertSigned(answer)
      return readBody(answer)["nonce"] as number
    })
    assertRising(nonces)
  })

  it("goes on rising when the clock is set back", async () => {
    const backMs = test.vault.now() - 3_600_000
    const now = () => ledgerTime(backMs)
    const vault = { ...test.vault, now }
    for (let count = 0; count < 20; count++) {
      const answer = await signRequest(callOf(tokens[0] ?? "", limitOrder()), vault)
      assertSigned(answer)
      const { nonce, expires_after } = readBody(answer) as { nonce: number; expires_after: number }
      assertRising([nonce])
      assert.equal(expires_after, nonce + 15_000)
    }
  })

  it("stands in the ledger before its signature leaves, each once", async () => {
    await test.close()
    const recorded = readLedger(pathsOf(test.installation).ledgerFile)
      .filter(({ kind }) => kind === "request")
      .map(({ row }) => row["nonce"] as number)
    assert.equal(recorded.length, 220)
    assert.deepEqual(
      recorded,
      [...new Set(recorded)].toSorted((a, b) => a - b),
    )
  })
})
