import assert from "node:assert/strict"
import { describe, it } from "node:test"

import { freeBytesAt, freeBytesOf, openDiskSpace } from "../../../../src/vault/watch/disk-space.ts"

const minFree = 1_000

describe("the room on the disk", () => {
  it("is low until somebody has looked", async () => {
    const disk = openDiskSpace(() => Promise.resolve(minFree), minFree)
    assert.deepEqual(disk.low, { freeBytes: undefined, minFreeBytes: minFree })
    await disk.look()
    assert.equal(disk.low, undefined)
  })

  for (const [freeBytes, low] of [
    [minFree, undefined],
    [minFree - 1, { freeBytes: minFree - 1, minFreeBytes: minFree }],
    [0, { freeBytes: 0, minFreeBytes: minFree }],
  ] as const) {
    it(`is ${low === undefined ? "enough" : "low"} with ${freeBytes} bytes free of ${minFree} asked for`, async () => {
      const measure = () => Promise.resolve(freeBytes)
      const disk = openDiskSpace(measure, minFree)
      await disk.look()
      assert.deepEqual(disk.low, low)
    })
  }

  it("is enough for a file that leaves what is asked for, and not for one byte more", async () => {
    const measure = () => Promise.resolve(minFree + 10)
    const disk = openDiskSpace(measure, minFree)
    await disk.look()
    assert.equal(disk.lowWith(10), undefined)
    assert.deepEqual(disk.lowWith(11), { freeBytes: minFree + 10, minFreeBytes: minFree + 11 })
  })

  it("is low where it can't be told, also when it could be before", async () => {
    let isBroken = false
    const measure = () => (isBroken ? Promise.reject(new Error("EIO")) : Promise.resolve(minFree))
    const disk = openDiskSpace(measure, minFree)
    await disk.look()
    isBroken = true
    assert.equal(disk.low, undefined)
    await disk.look()
    assert.deepEqual(disk.low, { freeBytes: undefined, minFreeBytes: minFree })
  })

  it("is judged by what is asked for now, and enough where nothing is", async () => {
    const disk = openDiskSpace(() => Promise.resolve(minFree), minFree)
    await disk.look()
    disk.ask(minFree + 1)
    assert.notEqual(disk.low, undefined)
    disk.ask(0)
    assert.equal(disk.low, undefined)
  })

  it("counts the refusals that aren't recorded until somebody asks", () => {
    const disk = openDiskSpace(() => Promise.resolve(0), minFree)
    disk.leaveOut()
    disk.leaveOut()
    assert.deepEqual([disk.takeLeftOut(), disk.takeLeftOut()], [2, 0])
  })

  it("is what the file system tells", async () => {
    assert.ok((await freeBytesAt(import.meta.dirname)) > 0)
    await assert.rejects(freeBytesAt("/nowhere/at/all"), { code: "ENOENT" })
  })

  it("is counted in fragments where Node tells their size, else in blocks", () => {
    assert.equal(freeBytesOf({ bavail: 10, bsize: 1_048_576, frsize: 4_096 }), 40_960)
    assert.equal(freeBytesOf({ bavail: 10, bsize: 4_096 }), 40_960)
  })
})
