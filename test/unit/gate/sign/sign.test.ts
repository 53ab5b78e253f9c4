import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { isInTime } from "../../../../src/gate/sign/sign.ts"
import { momentIn } from "../../../../src/std/time/moment.ts"
import { signedBody } from "../../../support/fake-vault.ts"
import { assertRefused, startGate } from "../../../support/gate.ts"

const order = "/v1/trade/orders"

/** What the vault gives out, which may be handed on for so long. */
function signedFor(leftMs: number) {
  const bytes = { path: order, body: signedBody, expiresAfter: 9e15, goodForMs: 5_000 }
  return {
    kind: "answer",
    record: "r-1",
    ...bytes,
    outBy: momentIn(leftMs),
  } as const
}

describe("what other hosts count on not to come out after a time", () => {
  it("is handed on until then by both clocks, to the millisecond, and always where no time is said", (t) => {
    t.mock.method(Date, "now", () => 1_000)
    t.mock.method(process.hrtime, "bigint", () => 50_000_000n)
    const isInTimeBy = (wallMs: number, monotonicMs: number) =>
      isInTime({ outBy: { wallMs, monotonicMs } })
    assert.equal(isInTimeBy(1_000, 50), true)
    assert.equal(isInTimeBy(999, 50), false)
    assert.equal(isInTimeBy(1_000, 49), false)
    assert.equal(isInTime({ outBy: undefined }), true)
  })

  it("isn't given to a bot later", async (t) => {
    let leftMs = 60_000
    const gate = await startGate(t, { script: { sign: () => signedFor(leftMs) } })
    assert.equal((await gate.post(`/sign${order}`)).status, 200)
    leftMs = -1
    const late = await gate.post(`/sign${order}`)
    assertRefused(late, 503, "ledger_unavailable")
    assert.equal(late.headers["countersign-record"], "r-1")
    assert.doesNotMatch(late.text, /signature/)
  })

  it("isn't given to a bot later in a batch, whose others are", async (t) => {
    const results = [signedFor(-1), signedFor(60_000)]
    const gate = await startGate(t, {
      script: { signBatch: () => ({ kind: "answer", results }) },
    })
    const { envelope } = await gate.post("/sign/batch")
    const each = envelope.data["results"] as readonly { status: number; body: string | null }[]
    assert.deepEqual(
      each.map(({ status, body }) => [status, body]),
      [
        [503, null],
        [200, signedBody],
      ],
    )
  })
})
