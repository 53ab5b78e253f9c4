import assert from "node:assert/strict"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import { connectBotLink } from "../../src/link/client.ts"
import { registerSecret } from "../support/canaries.ts"
import {
  countersign,
  countersignJson,
  makeInstallation,
  serve,
  type Served,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { killAllNaming, until } from "../support/process-tree.ts"

describe("countersign console", { timeout: 120_000 }, () => {
  let installation: TemporaryInstallation
  let daemon: Served
  before(async () => {
    installation = await makeInstallation(["--backend", "memory", "--venue", "sandbox"])
    daemon = await serve(installation.dir)
  })
  after(async () => {
    await daemon.stop()
    await killAllNaming(installation.dir)
    await installation.remove()
  })

  it("prints a link that opens one session, and nothing of it is in the log", async () => {
    const { dir } = installation
    const { port } = new URL(daemon.url)
    const link = await countersignJson<{ url: string; valid_for_ms: number; tunnel: string }>([
      ...["console", "--dir", dir, "--port", port],
    ])
    const [page, secret = ""] = link.url.split("#")
    assert.equal(page, `${daemon.url}/console`)
    assert.equal(link.valid_for_ms, 60_000)
    assert.equal(link.tunnel, `ssh -L ${port}:127.0.0.1:${port}`)

    const vault = connectBotLink(join(dir, "bot.sock"))
    const opened = await vault.call("openConsole", { secret })
    assert.ok(opened.kind === "answer")
    const { session } = opened
    for (const half of [session.cookie, session.proof]) registerSecret("a console's session", half)
    const again = await vault.call("openConsole", { secret })
    assert.ok(again.kind === "refused" && again.refusal.code === "unauthorized")
    const shown = await vault.call("consoleState", { session })
    assert.ok(shown.kind === "answer")
    const frozen = await vault.call("consoleFreeze", { session, reason: "a drill" })
    assert.ok(frozen.kind === "answer" && frozen.freeze.by === "console/operator")
    assert.equal((await vault.call("closeConsole", { session })).kind, "answer")
    assert.equal((await vault.call("consoleState", { session })).kind, "refused")
    vault.close()

    const ended = () => (daemon.stderr().includes('"console_session_ended"') ? true : undefined)
    await until(ended, "the end of the session is in the log")
    const log = daemon.stdout() + daemon.stderr()
    for (const event of ["link_made", "session_opened"]) {
      assert.ok(log.includes(`"console_${event}"`), event)
    }
    for (const part of [secret, session.cookie, session.proof]) assert.ok(!log.includes(part))
  })

  it("says in words how to open it, and by the port of countersign.yaml unless told", async () => {
    const { code, stdout } = await countersign(["console", "--dir", installation.dir])
    assert.equal(code, 0)
    const [link = "", once = "", tunnel = ""] = stdout.split("\n")
    assert.match(link, /^http:\/\/127\.0\.0\.1:8420\/console#[A-Za-z0-9_-]{43}$/)
    assert.equal(once, "It works once, within 60 seconds, in a browser of this machine.")
    assert.match(tunnel, /ssh -L 8420:127\.0\.0\.1:8420 <this machine>$/)
  })

  it("says that there is nothing to show where no daemon runs", async () => {
    await daemon.stop()
    const { code, stderr } = await countersign(["console", "--dir", installation.dir])
    assert.equal(code, 4)
    assert.match(stderr, /No daemon runs here, so there is nothing to show/)
  })
})
