import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { describe, it } from "node:test"

import { countersign as wholeCommandLine } from "../../src/commands/countersign.ts"
import { leavesOf } from "../support/command-tree.ts"
import { countersign, countersignProcess, sandbox } from "../support/countersign.ts"

// Most tests run commands in their own process. Here each verb is started as a shell starts it.

const verbs = [...leavesOf(await wholeCommandLine()).keys()]
// What has to be given is missed first.
const complaint = /^error: (?:unknown option '--no-such-option'|required option )/

describe("a process of", { timeout: 120_000 }, () => {
  for (const verb of verbs) {
    it(`countersign ${verb} prints its usage and ends with 0, or complains and ends with 2`, async () => {
      const words = verb.split(" ")
      const helped = await countersignProcess([...words, "--help"])
      assert.deepEqual([helped.code, helped.stderr], [0, ""])
      assert.ok(helped.stdout.startsWith(`Usage: countersign ${verb} `), helped.stdout)
      const refused = await countersign([...words, "--no-such-option"])
      assert.deepEqual([refused.code, refused.stdout], [2, ""])
      assert.match(refused.stderr, complaint)
    })
  }

  it("countersign complains of a bad option and ends with 2", async () => {
    for (const words of [["status"], ["keys", "list"], []]) {
      const { code, stdout, stderr } = await countersignProcess([...words, "--no-such-option"])
      assert.deepEqual([code, stdout], [2, ""])
      assert.match(stderr, complaint)
    }
  })

  it("countersign leaves what it makes to its owner alone, whatever the shell's umask", async (t) => {
    process.umask(0) // a process has its parent's
    const started = await sandbox()
    t.after(() => started.stop())
    // proc(5)
    assert.match(readFileSync(`/proc/${started.pid}/status`, "utf8"), /^Umask:\t0077$/m)
  })
})
