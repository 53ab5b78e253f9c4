import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { setImmediate } from "node:timers/promises"

import { atHangUp, withStopSignal } from "../../../../src/commands/cli/terminal.ts"

const names = ["SIGTERM", "SIGINT", "SIGHUP"] as const

function listening(): readonly number[] {
  return names.map((name) => process.listenerCount(name))
}

describe("a command that a signal stops", () => {
  for (const name of ["SIGTERM", "SIGINT"] as const) {
    it(`hears ${name}, and of nothing once it has ended`, async () => {
      const before = listening()
      await withStopSignal(async (stopped) => {
        process.kill(process.pid, name)
        await stopped
      })
      assert.deepEqual(listening(), before)
    })
  }

  it("listens no longer when it fails", async () => {
    const before = listening()
    const failing = withStopSignal(() => Promise.reject(new Error("it failed")))
    await assert.rejects(failing, /it failed/)
    assert.deepEqual(listening(), before)
  })
})

describe("a command that acts at SIGHUP", () => {
  it("does at every one, for as long as it runs", async () => {
    const before = listening()
    let times = 0
    const hangUp = async (): Promise<void> => {
      const earlier = times
      process.kill(process.pid, "SIGHUP")
      while (times === earlier) await setImmediate()
    }
    await atHangUp(
      () => (times += 1),
      async () => {
        await hangUp()
        await hangUp()
      },
    )
    assert.equal(times, 2)
    assert.deepEqual(listening(), before)
  })
})
