import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { maxWaiting, openDelivery } from "../../../../src/gate/notify/delivery.ts"
import { testMessage, type Message } from "../../../../src/gate/notify/message.ts"
import type { Posted } from "../../../../src/gate/notify/post-message.ts"
import type { LogEntry } from "../../../../src/gate/process/log.ts"
import { until } from "../../../support/process-tree.ts"

const messageOf = (subject: string): Message => ({ ...testMessage(0, "a test"), subject })
const answered = (status: number): Posted => ({ kind: "answered", status })
const failed: Posted = { kind: "failed", code: "ECONNREFUSED" }

/** A delivery to a webhook that answers so, in turn, and then takes everything. */
function openFor(answers: readonly Posted[], pausesMs: readonly number[] = [0, 0, 0]) {
  const left = [...answers]
  const tried: string[] = []
  const logged: LogEntry[] = []
  const delivery = openDelivery({
    post: ({ subject }) => {
      tried.push(subject)
      return Promise.resolve(left.shift() ?? answered(204))
    },
    log: (entry) => void logged.push(entry),
    pausesMs,
  })
  const triedOnce = (count: number) =>
    until(() => (tried.length >= count ? true : undefined), `it was tried ${count} times`)
  return { delivery, tried, logged, triedOnce }
}

/** After this, whatever would go on at once has gone on. */
const aWhile = () => new Promise<void>((resolve) => setTimeout(resolve, 20))

describe("the delivery of messages", () => {
  it("sends one after the other, in the order in which they come", async () => {
    const { delivery, tried, logged, triedOnce } = openFor([])
    delivery.add([messageOf("a"), messageOf("b")])
    delivery.add([messageOf("c")])
    await triedOnce(3)
    delivery.add([messageOf("d")])
    await triedOnce(4)
    assert.deepEqual(tried, ["a", "b", "c", "d"])
    assert.deepEqual(logged, [])
  })

  for (const [what, answer] of [
    ["gave no answer", failed],
    ["answered 500", answered(500)],
    ["answered 429", answered(429)],
    ["answered 408", answered(408)],
  ] as const) {
    it(`tries again where the webhook ${what}, before it sends what came later`, async () => {
      const { delivery, tried, logged, triedOnce } = openFor([answer, answer, answer])
      delivery.add([messageOf("a"), messageOf("b")])
      await triedOnce(5)
      assert.deepEqual(tried, ["a", "a", "a", "a", "b"])
      assert.deepEqual(logged, [])
    })
  }

  it("gives up after the fourth try, says so in the log, and goes on", async () => {
    const { delivery, tried, logged, triedOnce } = openFor([failed, failed, failed, failed])
    delivery.add([messageOf("a"), messageOf("b")])
    await triedOnce(5)
    assert.deepEqual(tried, ["a", "a", "a", "a", "b"])
    assert.deepEqual(logged, [{ level: "error", event: "notify_failed", code: "ECONNREFUSED" }])
  })

  for (const status of [400, 404, 410, 302, 199]) {
    it(`doesn't try again what the webhook answered with ${status}`, async () => {
      const { delivery, tried, logged, triedOnce } = openFor([answered(status)])
      delivery.add([messageOf("a"), messageOf("b")])
      await triedOnce(2)
      assert.deepEqual(tried, ["a", "b"])
      assert.deepEqual(logged, [{ level: "error", event: "notify_failed", status }])
    })
  }

  for (const status of [200, 202, 299]) {
    it(`is done with what the webhook answered with ${status}`, async () => {
      const { delivery, tried, logged, triedOnce } = openFor([answered(status)])
      delivery.add([messageOf("a"), messageOf("b")])
      await triedOnce(2)
      assert.deepEqual([tried, logged], [["a", "b"], []])
    })
  }

  it("keeps a hundred waiting behind the one that is tried, and drops the oldest of more", async () => {
    let answer: (posted: Posted) => void = () => undefined
    const tried: string[] = []
    const logged: LogEntry[] = []
    const delivery = openDelivery({
      post: ({ subject }) => {
        tried.push(subject)
        return new Promise((resolve) => (answer = resolve))
      },
      log: (entry) => void logged.push(entry),
    })
    delivery.add([messageOf("first")])
    delivery.add(Array.from({ length: maxWaiting }, (_, n) => messageOf(`${n}`)))
    assert.deepEqual(logged, [])
    delivery.add([messageOf("last")])
    assert.deepEqual(logged, [{ level: "error", event: "notify_dropped" }])
    const all = ["first", ...Array.from({ length: maxWaiting - 1 }, (_, n) => `${n + 1}`), "last"]
    for (let count = 1; count <= all.length; count += 1) {
      await until(() => (tried.length >= count ? true : undefined), `${count} were tried`)
      answer(answered(204))
    }
    assert.deepEqual(tried, all)
  })

  it("sends nothing once it is stopped: neither what waits, nor again, nor what comes", async () => {
    const { delivery, tried, logged, triedOnce } = openFor([failed], [3_600_000])
    delivery.add([messageOf("a"), messageOf("b")])
    await triedOnce(1)
    delivery.stop()
    delivery.stop()
    delivery.add([messageOf("c")])
    await aWhile()
    assert.deepEqual([tried, logged], [["a"], []])
  })

  it("cuts off what is under way when it is stopped", async () => {
    let isCut = false
    const delivery = openDelivery({
      post: (_, signal) =>
        new Promise((resolve) =>
          signal.addEventListener("abort", () => {
            isCut = true
            resolve(failed)
          }),
        ),
      log: () => assert.fail("nothing is lost that nobody waits for"),
    })
    delivery.add([messageOf("a")])
    delivery.stop()
    await until(() => (isCut ? true : undefined), "it is cut off")
    await aWhile()
  })
})
