import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { describe, it } from "node:test"
import { pathToFileURL } from "node:url"

import { countersign as wholeCommandLine } from "../../src/commands/countersign.ts"
import { leavesOf } from "../support/command-tree.ts"
import { countersign, countersignProcess, sandbox } from "../support/countersign.ts"
import { mainOf, node } from "../support/published.ts"

// Most tests run commands from the sources, in their own process. Here each verb is read as it is started from a shell.

const verbs = [...leavesOf(await wholeCommandLine()).keys()]
// What has to be given is missed first.
const complaint = /^error: (?:unknown option '--no-such-option'|required option )/

/** Runs the program once for each command line that it is given in JSON, and prints after each how it ended. */
const runAll = `
const [main, lines] = process.argv.slice(1)
// Each run listens for the end, and for a reader that goes.
for (const each of [process, process.stdout, process.stderr]) each.setMaxListeners(0)
for (const [index, words] of JSON.parse(lines).entries()) {
  process.argv = [process.execPath, main, ...words]
  await import(main + "?" + index)
  process.stdout.write("ended with " + process.exitCode + "\\n")
  process.exitCode = 0
}`

/** What each verb prints for `--help`: a process loads as many as there are sooner than each of them one. */
function helpOfAll(): ReadonlyMap<string, string> {
  const lines = JSON.stringify(verbs.map((verb) => [...verb.split(" "), "--help"]))
  const args = ["--input-type=module", "--eval", runAll, pathToFileURL(mainOf("")).href, lines]
  const { stdout, stderr } = spawnSync(node, args, { encoding: "utf8" })
  assert.equal(stderr, "")
  const printed = stdout.split(/^(?<=ended with \d+\n)/m)
  return new Map(verbs.map((verb, index) => [verb, printed[index] ?? ""]))
}

describe("in a process of its own,", { timeout: 120_000 }, () => {
  const help = helpOfAll()
  for (const verb of verbs) {
    it(`countersign ${verb} prints its usage and ends with 0, or complains and ends with 2`, async () => {
      const words = verb.split(" ")
      const printed = help.get(verb) ?? ""
      assert.ok(printed.startsWith(`Usage: countersign ${verb} `), printed)
      assert.match(printed, /\nended with 0\n$/)
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
