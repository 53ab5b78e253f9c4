import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { followBatch, sealBatch } from "../../../../../src/vault/ledger/postgres/batch.ts"
import type { JournalRow } from "../../../../../src/vault/ledger/records/row.ts"
import { chainHash } from "../../../../../src/vault/ledger/sqlite/journal.ts"
import { request } from "../../../../properties/ledger-contract.ts"
import { startMs } from "../../../../support/fake-clock.ts"
import { signer } from "../../../../support/ledger-ask.ts"
import { newLedgerKey } from "../../../../support/new-ledger-key.ts"

const ledger = "ab".repeat(16)
const previous = { seq: 4, hash: Buffer.alloc(32, 7) }
const keys = { a: newLedgerKey(), b: newLedgerKey() }
const hosts = new Map(Object.entries(keys).map(([name, { publicKey }]) => [name, publicKey]))
const latestMs = startMs + 100
const reading = { previous, ledger, hosts, host: "a", latestMs }

/** What comes of a batch with this row, which `host` sealed. */
function followed(row: object, host: keyof typeof keys = "b"): readonly JournalRow[] {
  const text = JSON.stringify(row)
  const head = { seq: 5, hash: chainHash(previous.hash, text) }
  const batch = sealBatch({ firstSeq: 5, head, host, rows: [text] }, ledger, keys[host])
  const taken: JournalRow[] = []
  followBatch(batch, reading, ({ rows }) => taken.push(...rows))
  return taken
}

const at = { kind: "act", id: "rec_1", at_ms: startMs }
const price = { ...at, act: "price_set", symbol_id: 1, value: "1", by: "feed", confirmed: true }
const outcome = {
  ...at,
  kind: "outcome",
  record: "rec_1",
  outcome: "sent",
  status: null,
  code: null,
}
const restore = (nonce: number) => ({
  ...{ ...at, act: "restore_accepted", ledger },
  signers: [{ signer, nonce }],
})

describe("a batch of another host", () => {
  /** Each moment that something counts by. */
  const moments: Readonly<Record<string, (ms: number) => object>> = {
    "a nonce": (ms) => request(ms),
    "the nonce of a host that was alone": (ms) => ({ ...request(ms), isolated: true }),
    "a request's time": (ms) => ({ ...request(1), at_ms: ms }),
    "what a request counts at": (ms) => request(1, { countedAt: ms }),
    "an outcome's time": (ms) => ({ ...outcome, at_ms: ms }),
    "what an outcome counts at": (ms) => ({ ...outcome, counted_at: ms }),
    "an act's time": (ms) => ({ ...at, act: "clock_accepted", at_ms: ms }),
    "a price's": (ms) => ({ ...price, as_of: ms }),
    "where a signer goes on after a restore": restore,
  }

  for (const [what, rowAt] of Object.entries(moments)) {
    it(`is followed up to the latest that a host may have reached, and no further: ${what}`, () => {
      assert.equal(followed(rowAt(latestMs)).length, 1)
      for (const ms of [latestMs + 1, Number.MAX_SAFE_INTEGER])
        assert.throws(() => followed(rowAt(ms)), {
          ...{ name: "Fault", code: "ledger_unusable" },
          message: new RegExp(
            `entries 5 to 5, which host b sealed, .*${ms}, and may be ${latestMs}`,
          ),
        })
    })
  }

  it("is of a host that is known here, and sealed by it", () => {
    const text = JSON.stringify(request(1))
    const head = { seq: 5, hash: chainHash(previous.hash, text) }
    for (const [host, says] of [
      ["a", /entries 5 to 5 aren't sealed by host a/],
      ["c$(reboot)\n", /host "c\$\(reboot\)\\n" isn't known here/],
    ] as const) {
      const batch = sealBatch({ firstSeq: 5, head, host, rows: [text] }, ledger, keys.b)
      assert.throws(() => {
        followBatch(batch, reading, () => assert.fail("it is followed"))
      }, says)
    }
  })

  it("is named where it makes no sense, with the command that leaves it out", () => {
    const missed = { ...at, act: "heartbeat_missed" }
    assert.throws(
      () => followed(missed),
      /entries 5 to 5, which host b sealed, can't be followed: "client: .*ledger leave-out --after 4$/,
    )
  })

  it("is named where it contradicts what is here, and not where this machine fails", () => {
    const batch = (error: Error) => () => {
      const text = JSON.stringify(request(1))
      const head = { seq: 5, hash: chainHash(previous.hash, text) }
      const sealed = { firstSeq: 5, head, host: "b", rows: [text] }
      followBatch(sealBatch(sealed, ledger, keys.b), reading, () => {
        throw error
      })
    }
    assert.throws(batch(new Error("a nonce was used twice")), /host b sealed.*used twice/)
    const full = Object.assign(new Error("disk full"), { errcode: 13 })
    assert.throws(batch(full), full)
  })

  it("has no words of its own in what is said of it but in quotation marks, on one line", () => {
    const row = { ...at, act: "x\n$(reboot) `fix:`" }
    assert.throws(
      () => followed(row),
      ({ message }: Error) => !message.includes("\n") && !message.includes("reboot"),
    )
  })

  it("is taken as it is where this host sealed it itself: it wrote it", () => {
    assert.equal(followed({ ...at, act: "heartbeat_missed" }, "a").length, 1)
    assert.equal(followed(request(latestMs + 1), "a").length, 1)
  })
})
