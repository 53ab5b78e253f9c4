import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { sealBatch } from "../../../../../src/vault/ledger/postgres/batch.ts"
import { catchUp, openReplay } from "../../../../../src/vault/ledger/postgres/catch-up.ts"
import type { Session } from "../../../../../src/vault/ledger/postgres/session.ts"
import { hex } from "../../../../../src/vault/ledger/postgres/tables.ts"
import { prepareLedgerFile } from "../../../../../src/vault/ledger/sqlite/database.ts"
import { canonicalRow, chainHash } from "../../../../../src/vault/ledger/sqlite/journal.ts"
import { request } from "../../../../properties/ledger-contract.ts"
import { ledgerPlace } from "../../../../support/ledger-ask.ts"
import { newLedgerKey } from "../../../../support/new-ledger-key.ts"

const hourMs = 3_600_000
const hosts = ["a", "b"] as const
const keyOfB = newLedgerKey()

/** A copy that has a request with this nonce, and a server that has one of host `b` after it. */
async function started(t: TestContext, nonces: { readonly here: number; readonly there: number }) {
  const place = await ledgerPlace()
  t.after(() => place.remove())
  await prepareLedgerFile(place.file)
  const copy = openReplay(place.file)
  const { name } = copy
  const first = { ...request(nonces.here), seq: 1 }
  const here = { seq: 1, hash: chainHash(copy.head().hash, canonicalRow(first)) }
  copy.add({ rows: [first], head: here })
  copy.close()
  const text = canonicalRow({ ...request(nonces.there), seq: 2 })
  const head = { seq: 2, hash: chainHash(here.hash, text) }
  const batch = sealBatch({ firstSeq: 2, head, host: "b", rows: [text] }, name, keyOfB)
  const session: Session = {
    ended: new Promise(() => undefined),
    end: () => undefined,
    run: (asked?) =>
      Promise.resolve([
        asked?.text.includes("last_seq >")
          ? [["2", "2", hex(head.hash), "b", text, hex(batch.seal)]]
          : [[hex(here.hash)]],
      ]),
  }
  const ledger = { name, head, nowMs: Date.now(), hasAppend: true, standbys: [] }
  const ask = {
    file: place.file,
    host: "a",
    hosts: new Map(hosts.map((each) => [each, keyOfB.publicKey])),
  }
  return { ...ask, reached: { session, ledger } }
}

describe("how far ahead another host's nonces may be", () => {
  for (const [what, isolated, mostMs] of [
    ["a second and a quarter of the clock that is believed", undefined, 11_750],
    ["as long as hosts may be alone besides", { forMs: hourMs }, 11_750 + hourMs],
  ] as const) {
    it(`is ${what}`, async (t) => {
      // A minute passes for no test: what lies that far beyond is refused.
      for (const [beyondMs, isFollowed] of [
        [0, true],
        [60_000, false],
      ] as const) {
        const nowMs = Date.now()
        const { reached, ...ask } = await started(t, {
          here: 1,
          there: nowMs + mostMs + beyondMs,
        })
        const caught = catchUp(reached, { ...ask, ...(isolated && { isolated }) })
        if (isFollowed) assert.equal((await caught).head.seq, 2)
        else await assert.rejects(caught, { code: "ledger_unusable", message: /a nonce is/ })
      }
    })
  }

  it("goes by what is here where that is ahead of the clock: clocks were wrong once", async (t) => {
    const here = Date.now() + 24 * hourMs
    const { reached, ...ask } = await started(t, { here, there: here + 11_750 })
    const caught = await catchUp(reached, ask)
    const latestMs = caught.latestMs()
    assert.ok(latestMs >= here + 11_750 && latestMs < here + 71_750)
    const further = await started(t, { here, there: here + 71_750 })
    await assert.rejects(catchUp(further.reached, further), /a nonce is/)
  })

  it("goes by the server's clock where this host's is behind", async (t) => {
    const there = Date.now() + hourMs
    const { reached, ...ask } = await started(t, { here: 1, there })
    const ledger = { ...reached.ledger, nowMs: there }
    assert.equal((await catchUp({ ...reached, ledger }, ask)).head.seq, 2)
  })
})
