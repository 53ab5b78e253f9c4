import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { openOutbox, outboxAgainMs } from "../../../../src/vault/ledger/outbox.ts"
import { fakeClock, startMs } from "../../../support/fake-clock.ts"

const request = {
  ...{ record: "rec_1", path: "/v1/x", body: "{}", expires_after: startMs + 15_000 },
  good_for_ms: 15_000,
}
const other = { ...request, record: "rec_2" }

describe("the outbox", () => {
  it("gives all that waits to the next who asks", async () => {
    const outbox = openOutbox(fakeClock())
    outbox.put([request])
    outbox.put([other])
    assert.deepEqual(await outbox.take(), [request, other])
  })

  it("wakes who waits for it", async () => {
    const outbox = openOutbox(fakeClock())
    const taking = outbox.take()
    outbox.put([request])
    assert.deepEqual(await taking, [request])
  })

  it("gives a request to one of several who wait", async () => {
    const outbox = openOutbox(fakeClock())
    const first = outbox.take()
    const second = outbox.take()
    outbox.put([request])
    assert.deepEqual(await first, [request])
    outbox.end()
    assert.deepEqual(await second, [])
  })

  it("gives a request again when nothing is heard of it for a while, and not sooner", async () => {
    const clock = fakeClock()
    const outbox = openOutbox(clock)
    outbox.put([request])
    await outbox.take()
    clock.pass(outboxAgainMs - 1)
    outbox.put([other])
    assert.deepEqual(await outbox.take(), [other])
    clock.pass(1)
    const goodForMs = request.good_for_ms - outboxAgainMs
    assert.deepEqual(await outbox.take(), [{ ...request, good_for_ms: goodForMs }])
  })

  it("gives it no more once a byte of it may have left, and again while none did", async () => {
    const clock = fakeClock()
    const outbox = openOutbox(clock)
    outbox.put([request, other])
    await outbox.take()
    outbox.heard(request.record, { kind: "sent" })
    clock.pass(outboxAgainMs - 1)
    outbox.heard(other.record, { kind: "unsent" })
    clock.pass(outboxAgainMs)
    const [again] = await outbox.take()
    assert.equal(again?.record, other.record)
    outbox.heard(other.record, { kind: "unknown", status: null })
    outbox.heard("rec_unknown", { kind: "unsent" })
    clock.pass(outboxAgainMs)
    outbox.end()
    assert.deepEqual(await outbox.take(), [])
  })

  it("gives nothing that has expired, and it up to then", async () => {
    const clock = fakeClock()
    const outbox = openOutbox(clock)
    outbox.put([request])
    clock.pass(14_999)
    clock.setWall(startMs + 86_400_000) // no wall clock is asked
    assert.deepEqual(await outbox.take(), [{ ...request, good_for_ms: 1 }])
    clock.pass(outboxAgainMs)
    outbox.end()
    assert.deepEqual(await outbox.take(), [])
  })

  it("answers who waits, now and later, once it ends", async () => {
    const outbox = openOutbox(fakeClock())
    const waiting = outbox.take()
    outbox.end()
    assert.deepEqual([await waiting, await outbox.take()], [[], []])
  })
})
