import assert from "node:assert/strict"
import { beforeEach, describe, it } from "node:test"

import type { Refusal } from "../../../../src/link/refusal.ts"
import {
  maxKeptDecisions,
  rememberDecisions,
  type RecentDecisions,
} from "../../../../src/vault/console/decision-feed.ts"
import type { RefusalEntry, RequestEntry } from "../../../../src/vault/ledger/ledger.ts"
import { makeRecordId } from "../../../../src/vault/ledger/record-id.ts"
import { startMs } from "../../../support/fake-clock.ts"
import { testProfile } from "../../../support/test-profile.ts"

const profile = testProfile()
const record = makeRecordId(startMs)
const allowed: RequestEntry = {
  ...{ client: "bot", key: "mm", operation: "placeOrder", path: "/v1/trade/orders", target: null },
  body: '{"is_buy":true,"order_type":"limit","price":"63000","quantity":"0.1","symbol_id":1}',
  ...{ policyHash: "0x00", rule: "mm/quote", purpose: "return" },
}
const denied: Refusal = {
  code: "policy_denied",
  message: "Refused by policy: quantity_over_max.",
  data: {
    ...{ policy: "mm", rule: "quote", reason: "quantity_over_max" },
    ...{ file: null, line: null, asked: null, allowed: null },
  },
}
const refused = (changes: Partial<RefusalEntry> = {}): RefusalEntry => ({
  ...{ client: "bot", key: null, operation: "placeOrder", policyHash: "0x00" },
  refusal: denied,
  ...changes,
})

let decisions: RecentDecisions
beforeEach(() => {
  decisions = rememberDecisions()
})

const allow = (times: number): void => {
  for (let n = 0; n < times; n += 1) decisions.allowed(allowed, record)
}
const after = (seq?: number) => decisions.after(seq, profile)
const seqs = (seq?: number) => after(seq).decisions.map((each) => each.seq)

describe("the decisions that fell last", () => {
  it("tell what was allowed, by what, and what was asked", () => {
    allow(1)
    assert.deepEqual(after(), {
      decisions: [
        {
          ...{ seq: 1, at: startMs, result: "allowed", client: "bot", key: "mm" },
          ...{ operation: "placeOrder", asked: "buy 0.1 BTC-PERP at 63000, limit" },
          ...{ by: "mm/quote", reason: null, message: null, record },
        },
      ],
      missed: 0,
      last: 1,
    })
  })

  it("tell what was refused and why, and what was asked where it could be read", () => {
    const asked = { order_id: "7" }
    decisions.refused(refused({ asked, operation: "cancelOrder" }), record, startMs + 1)
    decisions.refused(refused({ operation: null }), record, startMs + 2)
    const [read, unread] = after().decisions
    assert.deepEqual(read, {
      ...{ seq: 1, at: startMs + 1, result: "refused", client: "bot", key: null },
      ...{ operation: "cancelOrder", asked: "order_id 7", by: "mm/quote" },
      ...{ reason: "quantity_over_max", message: denied.message, record },
    })
    assert.deepEqual([unread?.operation, unread?.asked, unread?.seq], [null, null, 2])
  })

  it("tell what waits for a person from what is refused", () => {
    const refusal: Refusal = {
      code: "approval_required",
      message: "A person must release this request.",
      data: { hold: "hold_1", expires_at: 1 },
    }
    decisions.refused(refused({ refusal }), record, startMs)
    const [held] = after().decisions
    assert.deepEqual([held?.result, held?.reason, held?.by], ["held", "approval_required", null])
  })

  it("have no record where there was no room for one", () => {
    decisions.refused(refused(), null, startMs)
    assert.equal(after().decisions[0]?.record, "")
  })

  it("are each told, also when refusals share a record", () => {
    for (let n = 0; n < 3; n += 1) decisions.refused(refused(), record, startMs + n)
    assert.deepEqual(seqs(), [1, 2, 3])
  })

  it("come in the order in which they fell, and only those after the one that is known", () => {
    allow(5)
    assert.deepEqual(seqs(), [1, 2, 3, 4, 5])
    assert.deepEqual(seqs(0), [1, 2, 3, 4, 5])
    assert.deepEqual(after(3), { ...after(3), missed: 0, last: 5 })
    assert.deepEqual(seqs(3), [4, 5])
    assert.deepEqual(after(5), { decisions: [], missed: 0, last: 5 })
  })

  it("are all that are kept for who knows of one that hasn't fallen: it knew another vault's", () => {
    allow(2)
    assert.deepEqual([seqs(3), after(3).missed], [[1, 2], 0])
  })

  it("are the last 200, and say how many before those were missed", () => {
    assert.deepEqual(after(), { decisions: [], missed: 0, last: 0 })
    allow(maxKeptDecisions)
    assert.deepEqual([seqs(0).length, after(0).missed], [200, 0])
    allow(1)
    assert.deepEqual([seqs(0).length, after(0).missed], [200, 1])
    assert.deepEqual([seqs(0)[0], seqs(0).at(-1)], [2, 201])
    assert.deepEqual([seqs(1).length, after(1).missed], [200, 0])
    assert.deepEqual([seqs().length, after().missed], [200, 0])
    allow(1_000)
    assert.deepEqual([seqs(1_200), after(1_200).missed], [[1_201], 0])
    assert.deepEqual([seqs(1_000)[0], after(1_000).missed], [1_002, 1])
  })

  it("fit a frame of the socket however long their words are: the newest do", () => {
    const refusal: Refusal = { ...denied, message: "\u00e9".repeat(10_000) }
    const asked = { order_id: "\u6c34".repeat(10_000) }
    for (let n = 0; n < maxKeptDecisions; n += 1) {
      decisions.refused(refused({ refusal, asked }), record, startMs)
    }
    const feed = after(0)
    assert.ok(Buffer.byteLength(JSON.stringify(feed)) < 200 * 1_024)
    assert.ok(feed.decisions.length > 50)
    assert.equal(feed.decisions.at(-1)?.seq, 200)
    assert.equal(feed.missed, 200 - feed.decisions.length)
    const [oldest] = feed.decisions
    assert.deepEqual([oldest?.message?.length, oldest?.asked?.length], [500, 200])
  })
})
