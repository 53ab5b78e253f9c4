import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { watchdogBeat } from "../../../../src/vault/status/self-test.ts"

const tell = (): void => undefined

describe("a beat for the watchdog", () => {
  it("says alive once the test has passed, not before", async () => {
    const said: string[] = []
    const test = Promise.withResolvers<undefined>()
    const beat = watchdogBeat({ test: () => test.promise, alive: () => said.push("alive"), tell })
    const beating = beat()
    assert.deepEqual(said, [])
    test.resolve(undefined)
    await beating
    assert.deepEqual(said, ["alive"])
  })

  it("begins no second test while one is at work", async () => {
    let begun = 0
    const test = Promise.withResolvers<undefined>()
    const beat = watchdogBeat({
      test: () => {
        begun += 1
        return test.promise
      },
      alive: () => undefined,
      tell,
    })
    const beating = beat()
    await beat()
    assert.equal(begun, 1)
    test.resolve(undefined)
    await beating
    await beat()
    assert.equal(begun, 2)
  })

  it("says nothing of a test that fails but in the log, once until it passes", async () => {
    const said: string[] = []
    const events: string[] = []
    const results = [false, false, true, false]
    const beat = watchdogBeat({
      test: () => (results.shift() === true ? Promise.resolve() : Promise.reject(new Error("no"))),
      alive: () => said.push("alive"),
      tell: (event) => events.push(event),
    })
    for (let beats = 0; beats < 4; beats += 1) await beat()
    assert.deepEqual(said, ["alive"])
    assert.deepEqual(events, ["failed", "passed", "failed"])
  })
})
