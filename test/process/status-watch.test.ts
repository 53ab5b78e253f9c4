import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"

import { runCommand } from "../../src/commands/run-command.ts"
import {
  countersign,
  makeInstallation,
  serve,
  startCountersign,
  type Served,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { memoryScreen, type MemoryTerminal } from "../support/memory-terminal.ts"
import { killAllNaming, until } from "../support/process-tree.ts"

const clear = "\x1b[H\x1b[2J"

describe("countersign status --watch", { timeout: 120_000 }, () => {
  let installation: TemporaryInstallation
  let daemon: Served
  const watch = () => ["status", "--watch", "--dir", installation.dir]
  before(async () => {
    installation = await makeInstallation()
    daemon = await serve(installation.dir)
  })
  after(async () => {
    await daemon.stop("SIGKILL")
    await killAllNaming(installation.dir)
    await installation.remove()
  })

  it("draws anew on a terminal until nobody reads it, with the commands of this installation", async () => {
    const screen = memoryScreen(200)
    const watching = runCommand(watch(), screen.terminal)
    await drawn(screen, 2)
    leave(screen)
    assert.equal(await watching, 0)
    const [before, first = "", second = ""] = screensOf(screen)
    assert.equal(before, "")
    for (const shown of [first, second]) {
      assert.match(shown, /^\d{4}-\S+Z, every 2 s until Ctrl-C\n\ndaemon {4}.*running/)
      assert.match(shown, /\nNo keys yet; countersign keys generate --dir /)
    }
    assert.notEqual(first.split("\n")[0], second.split("\n")[0])
  })

  it("leaves out at the end what a low terminal has no room for", async () => {
    const screen = memoryScreen(200)
    Object.assign(screen.terminal.stdout, { rows: 4 })
    const watching = runCommand(watch(), screen.terminal)
    await drawn(screen, 1)
    leave(screen)
    await watching
    assert.match(screensOf(screen)[1] ?? "", /^\d{4}-.*\n\ndaemon .*\n$/)
  })

  it("refuses what is no terminal, and prints nothing", async () => {
    assert.deepEqual(await countersign(watch()), {
      code: 2,
      stdout: "",
      stderr: "countersign: --watch draws on a terminal, and this is none; add --json.\n",
    })
  })

  it("prints with --json a line each until Ctrl-C, through a stop and a start of the daemon", async () => {
    const watching = await startCountersign([...watch(), "--json"], /"daemon":"running".*\n/)
    const daemonsOf = () =>
      [...watching.stdout().matchAll(/^\{"daemon":"(\w+)".*\}$/gm)].map(([, state]) => state)
    const told = (state: string) =>
      until(() => (daemonsOf().at(-1) === state ? true : undefined), `the daemon is ${state}`)
    await daemon.stop()
    await told("stopped")
    daemon = await serve(installation.dir)
    await told("running")
    assert.equal(await watching.stop("SIGINT"), 0)
    const lines = watching.stdout().trimEnd().split("\n")
    assert.equal(lines.length, daemonsOf().length)
    for (const line of lines) assert.equal(typeof JSON.parse(line), "object")
    assert.equal(watching.stderr(), "")
  })
})

function screensOf({ stdout }: MemoryTerminal): readonly string[] {
  return stdout().split(clear)
}

/** Waits for so many screens. */
async function drawn(screen: MemoryTerminal, count: number): Promise<void> {
  const isDrawn = () => (screensOf(screen).length > count ? true : undefined)
  await until(isDrawn, `${count} screens are drawn`)
}

/** As when the window of a terminal is closed. */
function leave({ terminal }: MemoryTerminal): void {
  terminal.stdout.destroy(Object.assign(new Error("nobody reads"), { code: "EPIPE" }))
}
