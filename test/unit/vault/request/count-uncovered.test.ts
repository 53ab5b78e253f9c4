import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { sandboxProfile, sandboxUrl } from "../../../../src/sandbox/profile.ts"
import type { RequestRow } from "../../../../src/vault/ledger/records/row.ts"
import { leaseNonces } from "../../../../src/vault/ledger/signers/signer-marks.ts"
import { countUncovered } from "../../../../src/vault/request/recount.ts"
import { aReading } from "../../../support/guards/exposures.ts"
import { guardedAccount, guardedWallet } from "../../../support/guarded-account.ts"
import { openTestVault } from "../../../support/open-test-vault.ts"

const hourMs = 3_600_000

/** An installation whose account was read at a moment after a start, with what is known then of its wallet's nonces. */
async function readAfterStart(
  t: TestContext,
  { lastNonce, mark }: { readonly lastNonce: number; readonly mark?: number },
  atMs: number,
): Promise<boolean> {
  const venue = `${sandboxProfile({ url: sandboxUrl, asOf: new Date() })}${guardedAccount}`
  const test = await openTestVault({ venue })
  t.after(() => test.remove())
  await test.addKey({ name: "main", role: "wallet", secret: guardedWallet.secret })
  const { vault } = test
  const signer = guardedWallet.address
  const waiting = mark === undefined ? [] : [{ signer, nonce: mark }]
  const ledger = {
    history: () => ReadableStream.from<RequestRow>([])[Symbol.asyncIterator](),
    lastNonce: () => lastNonce,
    marks: { ...vault.ledger.marks, waiting: () => waiting },
  }
  await countUncovered(vault.active(), { ledger, accounts: vault.accounts, now: vault.now })
  const { exposure } = vault.accounts.get(signer) ?? assert.fail("no account")
  return exposure.read(aReading({ askedAtMs: atMs }))
}

/** The lag of 3 s, and 10 s by which clocks may differ. */
const marginMs = 13_000

describe("an account after a start", () => {
  it("is believed at once where the ledger has all that was signed", async (t) => {
    assert.ok(await readAfterStart(t, { lastNonce: 0 }, Date.now()))
  })

  for (const [what, known] of [
    ["what waits for a person after a restore", { lastNonce: 0, mark: Date.now() }],
    ["what a restore that was accepted has lost", { lastNonce: Date.now() + leaseNonces }],
  ] as const) {
    it(`isn't believed before ${what} is over`, async (t) => {
      const endMs =
        Math.max(known.lastNonce - leaseNonces, "mark" in known ? known.mark : 0) + hourMs
      assert.ok(!(await readAfterStart(t, known, endMs + marginMs - 1)))
      assert.ok(await readAfterStart(t, known, endMs + marginMs))
    })
  }
})
