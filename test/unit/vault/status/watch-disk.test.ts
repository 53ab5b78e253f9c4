import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { diskWatch } from "../../../../src/vault/status/watch-disk.ts"
import { openDiskSpace } from "../../../../src/vault/watch/disk-space.ts"

const minFree = 1_000
const wanted = 500

/** A disk whose free room and spare are what the test says; the spare's making takes no room of it. */
function watched({ spareBytes = wanted, freeBytes = minFree, minFreeBytes = minFree } = {}) {
  const state = { spareBytes, freeBytes, minFreeBytes, fails: false }
  const events: string[] = []
  const disk = openDiskSpace(() => Promise.resolve(state.freeBytes), minFreeBytes)
  const look = diskWatch({
    disk,
    minFreeBytes: () => state.minFreeBytes,
    spare: {
      bytes: () => Promise.resolve(state.spareBytes),
      make: (bytes) => {
        if (state.fails) return Promise.reject(new Error("EROFS"))
        state.spareBytes = bytes
        events.push(`made ${bytes}`)
        return Promise.resolve()
      },
    },
    log: ({ level, event }) => events.push(`${level} ${event}`),
  })
  /** Looks, and says what came of it. */
  const seen = async (): Promise<readonly string[]> => {
    disk.ask(state.minFreeBytes)
    await look()
    return events.splice(0)
  }
  return { state, disk, seen }
}

describe("the watch of the disk", () => {
  it("says once that there is little room, and once that there is enough again", async () => {
    const { state, seen } = watched()
    assert.deepEqual(await seen(), [])
    state.freeBytes = minFree - 1
    assert.deepEqual(await seen(), ["error disk_low"])
    assert.deepEqual(await seen(), [])
    state.freeBytes = minFree
    assert.deepEqual(await seen(), ["info disk_ok"])
    assert.deepEqual(await seen(), [])
  })

  it("takes what wasn't recorded into the line that ends it", async () => {
    const { state, disk, seen } = watched({ freeBytes: 0 })
    await seen()
    disk.leaveOut()
    state.freeBytes = minFree
    await seen()
    assert.equal(disk.takeLeftOut(), 0)
  })

  it("makes a spare where that leaves what is asked for, and not with a byte less", async () => {
    const { state, seen } = watched({ spareBytes: 0, freeBytes: minFree + wanted - 1 })
    assert.deepEqual(await seen(), [])
    state.freeBytes += 1
    assert.deepEqual(await seen(), [`made ${wanted}`])
    assert.deepEqual(await seen(), [])
  })

  it("says once that a spare can't be made, and goes on trying", async () => {
    const { state, seen } = watched({ spareBytes: 0, freeBytes: 10 * minFree })
    state.fails = true
    assert.deepEqual(await seen(), ["warn spare_not_made"])
    assert.deepEqual(await seen(), [])
    state.fails = false
    assert.deepEqual(await seen(), [`made ${wanted}`])
  })

  it("says once that the spare is given up, and makes it again when there is room", async () => {
    const { state, seen } = watched()
    await seen()
    Object.assign(state, { spareBytes: 0, freeBytes: 0 })
    assert.deepEqual(await seen(), ["error disk_low", "error spare_gone"])
    assert.deepEqual(await seen(), [])
    state.freeBytes = minFree + wanted
    assert.deepEqual(await seen(), ["info disk_ok", `made ${wanted}`])
    Object.assign(state, { spareBytes: 0, freeBytes: 0 })
    assert.deepEqual(await seen(), ["error disk_low", "error spare_gone"])
  })

  it("says at its first look that there is neither room nor spare", async () => {
    const { seen } = watched({ spareBytes: 0, freeBytes: 0 })
    assert.deepEqual(await seen(), ["error disk_low", "error spare_gone"])
  })

  it("makes a spare of another size for another min_free, and none where there is no such", async () => {
    const { state, seen } = watched({ freeBytes: 10 * minFree })
    assert.deepEqual(await seen(), [])
    state.minFreeBytes = 2 * minFree
    assert.deepEqual(await seen(), [`made ${2 * wanted}`])
    Object.assign(state, { minFreeBytes: 0, freeBytes: 0 })
    assert.deepEqual(await seen(), ["made 0"])
    assert.deepEqual(await seen(), [])
  })
})
