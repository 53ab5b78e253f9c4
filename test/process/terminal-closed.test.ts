import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { describe, it } from "node:test"
import { setTimeout as sleep } from "node:timers/promises"

import { countersign, makeInstallation } from "../support/countersign.ts"
import { childRunning, killAllNaming, until } from "../support/process-tree.ts"
import { bin, node } from "../support/published.ts"
import { needsTerminal, shellLine } from "../support/terminal.ts"
import { quotePolicy, writePolicy } from "../support/trading-keys.ts"

describe("a terminal that is closed under serve", { timeout: 180_000, ...needsTerminal }, () => {
  it("puts no file in force, and a SIGHUP after it does", async (t) => {
    const installation = await makeInstallation(["--venue", "sandbox", "--backend", "memory"])
    const { dir } = installation
    t.after(async () => {
      await killAllNaming(dir)
      await installation.remove()
    })
    await writePolicy(dir, quotePolicy("1"))
    const line = shellLine([node, bin, "serve", "--dir", dir, "--port", "0"])
    const terminal = spawn("script", ["-qec", `exec ${line}`, "/dev/null"], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, SHELL: "/bin/sh" },
    })
    let screen = ""
    terminal.stdout.on("data", (chunk: Buffer) => (screen += chunk.toString()))
    await until(() => (screen.includes("listening on") ? true : undefined), "it listens")
    const serve = await childRunning(terminal.pid ?? 0, "serve")
    await writePolicy(dir, quotePolicy("2"))
    const inForce = async () => (await countersign(["policy", "show", "--dir", dir])).stdout
    const before = await inForce()
    assert.match(before, /aren.t in force/)

    terminal.kill("SIGKILL")
    await once(terminal, "exit")
    // Long for a signal and a reload.
    await sleep(3_000)
    assert.equal(await inForce(), before)

    process.kill(serve.pid, "SIGHUP")
    await until(async () => ((await inForce()) === before ? undefined : true), "it has reloaded")
  })
})
