import assert from "node:assert/strict"
import { PassThrough } from "node:stream"
import { describe, it } from "node:test"

import { openTerminal } from "../../../../src/commands/cli/terminal.ts"

function streams() {
  return { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() }
}

/** As a stream has it whose reader has gone. */
function brokenPipe(): Error {
  return Object.assign(new Error("write EPIPE"), { code: "EPIPE" })
}

describe("a terminal", () => {
  it("is told once nobody reads its standard output any more, and that is no failure", async () => {
    const { stdout, ...others } = streams()
    const { unread, lost } = openTerminal({ stdout, ...others })
    stdout.emit("error", brokenPipe())
    stdout.emit("error", brokenPipe())
    await unread
    assert.equal(lost(), false)
  })

  it("takes no notice where nobody reads its standard error", () => {
    const { stderr, ...others } = streams()
    openTerminal({ stderr, ...others })
    stderr.emit("error", brokenPipe())
  })

  it("says once what else keeps it from writing, and that something was lost", async () => {
    const { stdout, stderr, ...others } = streams()
    const { unread, lost } = openTerminal({ stdout, stderr, ...others })
    const full = Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" })
    stdout.emit("error", full)
    stdout.emit("error", full)
    await unread
    assert.equal(lost(), true)
    const said = String(stderr.read())
    assert.equal(
      said,
      "countersign: what it prints can't be written: ENOSPC: no space left on device.\n",
    )
  })

  it("doesn't touch standard input before it is asked for", () => {
    const { stdout, stderr } = streams()
    const touched: string[] = []
    const terminal = openTerminal({
      get stdin() {
        touched.push("stdin")
        return new PassThrough()
      },
      stdout,
      stderr,
    })
    assert.deepEqual(touched, [])
    assert.equal(terminal.stdin.isTTY, undefined)
    assert.deepEqual(touched, ["stdin"])
  })
})
