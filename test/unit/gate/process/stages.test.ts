import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { startGate } from "../../../support/gate.ts"
import { heardStages } from "../../../support/heard-stages.ts"
import { httpText, startRawVenue } from "../../../support/raw-venue.ts"

const channel = "countersign.send"

describe("the stage that a gate tells of", () => {
  it("is told once for a send, whatever came of it", async (t) => {
    const venue = await startRawVenue(t, {
      onRequest: (socket, count) =>
        count === 1 ? socket.write(httpText('{"code":"0"}')) : socket.destroy(),
    })
    const gate = await startGate(t, { upstream: venue.base })
    const send = () => gate.post("/v1/trade/orders")
    assert.deepEqual(await heardStages(channel, send), ["sent"])
    assert.deepEqual(await heardStages(channel, send), ["sent"])
  })

  it("isn't told of what is signed to be returned", async (t) => {
    const gate = await startGate(t)
    assert.deepEqual(await heardStages(channel, () => gate.post("/sign/v1/trade/orders")), [])
  })
})
