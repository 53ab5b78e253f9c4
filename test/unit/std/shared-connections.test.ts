import assert from "node:assert/strict"
import { Duplex } from "node:stream"
import { describe, it } from "node:test"

import { SharedConnections } from "../../../src/std/shared-connections.ts"

/** Enters `count` of this owner's, and gives them. */
function enter(shared: SharedConnections<string>, owner: string, count: number): readonly Duplex[] {
  return Array.from({ length: count }, () => {
    const socket = new Duplex({ read: () => undefined, write: () => undefined })
    shared.enter(socket, owner)
    return socket
  })
}

function cutOf(sockets: readonly Duplex[]): readonly number[] {
  return sockets.flatMap(({ destroyed }, at) => (destroyed ? [at] : []))
}

describe("connections that several share", () => {
  it("are let in up to the bound, and above it for one of the owner with the most each", () => {
    const shared = new SharedConnections<string>(6)
    const idle = enter(shared, "idle", 4)
    const own = [...enter(shared, "own", 2)]
    assert.deepEqual([cutOf(idle), cutOf(own)], [[], []])
    own.push(...enter(shared, "own", 1))
    assert.deepEqual([cutOf(idle), cutOf(own)], [[0], []])
  })

  it("are cut one after the other where many come in one turn of the loop", () => {
    const shared = new SharedConnections<string>(3)
    const own = enter(shared, "own", 1)
    const idle = enter(shared, "idle", 10)
    assert.deepEqual(cutOf(idle), [0, 1, 2, 3, 4, 5, 6, 7])
    assert.deepEqual(cutOf(own), [])
  })

  it("are cut in the order in which they last asked, which makes them their owner's", () => {
    const shared = new SharedConnections<string>(3)
    const all = enter(shared, "idle", 3)
    shared.asks(all[0]!, "idle")
    enter(shared, "idle", 1)
    assert.deepEqual(cutOf(all), [1])
    shared.asks(all[2]!, "own")
    enter(shared, "idle", 1)
    assert.deepEqual(cutOf(all), [0, 1])
  })

  it("count no more once they are closed, nor when they ask then", async () => {
    const shared = new SharedConnections<string>(2)
    const [first, second] = enter(shared, "idle", 2)
    await new Promise<void>((resolve) => first?.destroy().once("close", resolve))
    shared.asks(first!, "own")
    enter(shared, "idle", 1)
    assert.equal(second?.destroyed, false)
    enter(shared, "idle", 1)
    assert.equal(second.destroyed, true)
  })
})
