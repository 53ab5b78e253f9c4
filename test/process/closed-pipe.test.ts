import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { after, before, describe, it } from "node:test"

import {
  countersignJson,
  makeInstallation,
  serve,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { bin } from "../support/published.ts"
import { killAllNaming, processesNaming } from "../support/process-tree.ts"

/** One that reads a line and goes, and one that goes at once. */
const readers = ["head -1", "true"]

describe("output into a pipe that closes early", { timeout: 120_000 }, () => {
  let installation: TemporaryInstallation
  before(async () => {
    installation = await makeInstallation()
  })
  after(async () => {
    await killAllNaming(installation.home)
    await installation.remove()
  })

  const at = (...words: readonly string[]) => [...words, "--dir", installation.dir]

  it("ends quietly with the code that the work earned", async () => {
    // What commander prints, what a command prints at once, line by line, as JSON or as a failure.
    const commands = [
      [["--help"], 0],
      [["keys"], 2],
      [["completion", "zsh"], 0],
      [at("audit", "tail"), 0],
      [at("audit", "export"), 0],
      [at("doctor", "--json"), 1], // nobody plays the venue
      [at("status"), 1],
      [[...at("keys", "list", "--json"), "--dir", `${installation.home}/none`], 1],
      [["keys", "lst", "--json"], 2],
    ] as const
    for (const [index, [words, code]] of commands.entries()) {
      const reader = readers[index % readers.length] ?? ""
      const ended = await piped(words, reader)
      assert.equal(ended.code, code, `${words.join(" ")} | ${reader}`)
      assert.equal(/EPIPE|Error|node:/.test(ended.stderr), false, ended.stderr)
    }
  })

  it("ends what would go on for ever, at the next that it prints", async () => {
    const daemon = await serve(installation.dir)
    try {
      const freeze = () => countersignJson(at("freeze", "--reason", "a line to print"))
      await freeze()
      const following = piped(at("audit", "tail", "--follow"), "head -1")
      const ending = new AbortController()
      void following.finally(() => ending.abort())
      while (!ending.signal.aborted) await freeze()
      const { code, stderr } = await following
      assert.deepEqual([code, stderr], [0, ""])
    } finally {
      await daemon.stop()
    }
  })

  for (const [redirection, reader] of [
    ["", "true"],
    ["2>&1", "head -1"],
  ] as const) {
    it(`ends countersign demo, which removes its directory: ${redirection} | ${reader}`, async () => {
      const temporary = mkdtempSync(join(installation.home, "tmp-"))
      const demo = { environment: { TMPDIR: temporary }, redirection }
      const { code, stderr } = await piped(["demo"], reader, demo)
      assert.deepEqual([code, stderr], [0, ""])
      assert.deepEqual(readdirSync(temporary), [])
      assert.deepEqual(processesNaming(temporary), [])
    })
  }

  it("says in a line that there is no room for it, and fails: > /dev/full", async () => {
    for (const words of [["--help"], at("keys", "list"), at("audit", "export")]) {
      const { code, stderr } = await piped(words, "cat", { redirection: "> /dev/full" })
      assert.equal(code, 1, words.join(" "))
      assert.match(stderr, /^countersign: what it prints can't be written: ENOSPC[^\n]*\n$/)
    }
  })

  it("is no failure on standard error either", async () => {
    const { code } = await piped(["keys", "lst"], "true", { redirection: "2>&1" })
    assert.equal(code, 2)
  })
})

/** Runs the command line into a reader, and takes its exit code, not the reader's. */
async function piped(
  words: readonly string[],
  reader: string,
  {
    redirection = "",
    environment = {},
  }: {
    readonly redirection?: string
    readonly environment?: Readonly<Record<string, string>>
  } = {},
) {
  const script = `"$@" ${redirection} | ${reader}; exit "\${PIPESTATUS[0]}"`
  const child = spawn("bash", ["-c", script, "bash", process.execPath, bin, ...words], {
    stdio: ["ignore", "ignore", "pipe"],
    timeout: 30_000,
    killSignal: "SIGKILL",
    env: { ...process.env, ...environment },
  })
  const [stderr, [code]] = await Promise.all([
    text(child.stderr),
    once(child, "exit") as Promise<[number | null]>,
  ])
  return { code, stderr }
}
