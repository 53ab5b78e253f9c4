import assert from "node:assert/strict"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { describe, it } from "node:test"

import { openStages } from "../../../src/std/stages.ts"

describe("a channel of stages", () => {
  it("tells who listens, within the same turn, and nobody before or after", () => {
    const say = openStages("countersign.test")
    const heard: unknown[] = []
    const listener = (message: unknown): unknown => heard.push(message)
    say("early")
    subscribe("countersign.test", listener)
    say("first")
    assert.deepEqual(heard, [{ stage: "first" }])
    unsubscribe("countersign.test", listener)
    say("late")
    assert.deepEqual(heard, [{ stage: "first" }])
  })
})
