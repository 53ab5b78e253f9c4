import assert from "node:assert/strict"
import { execFileSync, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { cp } from "node:fs/promises"
import { createServer, type AddressInfo } from "node:net"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import { fileURLToPath } from "node:url"

import { personName } from "../../src/commands/installation/usual-installation.ts"
import { gateAppDirectories, gatePermissionFlags } from "../../src/commands/daemon/process-flags.ts"
import type { StatusView } from "../../src/contract/views.ts"
import { bot, limitOrder } from "../support/bot.ts"
import { makeCheckout } from "../support/checkout.ts"
import { logIn, useLink } from "../support/console-session.ts"
import { openConsole, type OpenedConsole } from "../support/console-site.ts"
import {
  countersignProcess,
  makeInstallation,
  makePassphraseInstallation,
  serve,
  type Served,
  type TemporaryInstallation,
  statusJson,
} from "../support/countersign.ts"
import { bin } from "../support/published.ts"
import { exchange } from "../support/exchange.ts"
import { childRunning, killAllNaming, runningProcess, until } from "../support/process-tree.ts"
import { needsTerminal, onTerminal, shellLine } from "../support/terminal.ts"
import { addClient, makeTradingKeys, tradingPolicy, writePolicy } from "../support/trading-keys.ts"
import { ctrlC, enter } from "../support/typist.ts"

const isRoot = process.getuid?.() === 0
const needsRoot = { skip: !isRoot && "needs root, to become somebody else" }

const serverOf = async ({ pid }: OpenedConsole): Promise<number> =>
  (await childRunning(pid, "console/serve/main")).pid
const untilGone = (pid: number): Promise<true> =>
  until(() => (runningProcess(pid) === undefined ? true : undefined), `${pid} has ended`)

/** Uids or gids of a process: real, effective, saved, of the file system. */
function idsOf(pid: number, what: "Uid" | "Gid" | "Groups"): readonly number[] {
  const status = readFileSync(`/proc/${pid}/status`, "utf8")
  const [, ids = ""] = new RegExp(`^${what}:(.*)$`, "m").exec(status) ?? []
  return ids.trim() === "" ? [] : ids.trim().split(/\s+/).map(Number)
}

describe("countersign console", { timeout: 240_000 }, () => {
  let installation: TemporaryInstallation
  let dir: string
  let daemon: Served
  let token: string
  before(async () => {
    installation = await makeInstallation()
    dir = installation.dir
    await writePolicy(dir, tradingPolicy)
    daemon = await serve(dir)
    await makeTradingKeys(dir)
    token = await addClient(dir, "bot")
  })
  after(async () => {
    await daemon.stop()
    await killAllNaming(installation.home)
    await installation.remove()
  })

  const sign = () => bot(daemon.url, token).post("/sign/v1/trade/orders", limitOrder())
  const thaw = () => countersignProcess(["thaw", "--all", "--dir", dir])

  it("prints a link that opens one session, in words and with the way from another machine", async (t) => {
    const opened = await openConsole(dir)
    t.after(() => opened.stop())
    const { port, link } = opened
    const [, once = "", tunnel = ""] = opened.stdout().split("\n")
    assert.equal(
      once,
      "It works once, within 60 seconds, in a browser of this machine. Ctrl-C ends the console.",
    )
    assert.match(tunnel, new RegExp(`ssh -L ${port}:127\\.0\\.0\\.1:${port} <this machine>$`))
    const session = await logIn(link)
    assert.equal((await session.look()).state.signs, "all")
    const again = await useLink(link)
    assert.deepEqual([again.status, again.headers["set-cookie"]], [401, undefined])
    const secret = new URL(link).hash.slice(1)
    assert.ok(!(daemon.stdout() + daemon.stderr() + opened.stderr()).includes(secret))
  })

  it("prints JSON where that is asked for, and listens on the port that is", async (t) => {
    const free = createServer().listen(0, "127.0.0.1")
    await once(free, "listening")
    const { port } = free.address() as AddressInfo
    const taken = await countersignProcess(["console", "--dir", dir, "--port", String(port)])
    assert.equal(taken.code, 1)
    assert.equal(
      taken.stderr,
      `countersign: Port ${port} on 127.0.0.1 is in use; stop the other program or choose another port.\n`,
    )
    free.close()
    const child = spawn(
      process.execPath,
      [bin, "console", "--dir", dir, "--port", String(port), "--json"],
      { stdio: ["ignore", "pipe", "inherit"] },
    )
    t.after(() => child.kill())
    const [line] = (await once(child.stdout, "data")) as [Buffer]
    const told = JSON.parse(line.toString()) as Record<string, unknown>
    assert.match(String(told["url"]), new RegExp(`^http://127\\.0\\.0\\.1:${port}/#[\\w-]{43}$`))
    assert.equal(told["valid_for_ms"], 60_000)
    assert.equal(told["tunnel"], `ssh -L ${port}:127.0.0.1:${port}`)
  })

  it("freezes for its page, by who is behind it, and lets nothing else through", async (t) => {
    const opened = await openConsole(dir)
    t.after(() => opened.stop())
    const session = await logIn(opened.link)
    assert.equal((await sign()).status, 200)
    assert.equal((await session.call("/freeze", { reason: "a drill" })).status, 200)
    t.after(thaw)
    const refused = await sign()
    assert.deepEqual([refused.status, refused.json.code], [423, "frozen"])
    assert.equal(refused.json.data["by"], `console/${personName()}`)
    const [freeze] = (await session.look()).freezes
    assert.deepEqual([freeze?.reason, freeze?.cancels], ["a drill", true])
    for (const path of ["/thaw", "/release", "/unlock", "/status"]) {
      assert.equal((await session.call(path)).status, 404)
    }
  })

  it("is no part of the gate, which has nothing where it was", async () => {
    const { port } = new URL(daemon.url)
    for (const path of [
      ...["/console", "/console/", "/console/events", "/console/assets/main.js"],
      ...["/look", "/session", "/assets/main.js"],
    ]) {
      assert.equal((await exchange(Number(port), { path })).status, 404, path)
    }
  })

  for (const [signal, what] of [
    ["SIGINT", "Ctrl-C"],
    ["SIGTERM", "SIGTERM"],
    ["SIGHUP", "a hang-up"],
  ] as const) {
    it(`ends with its server at ${what}`, async () => {
      const opened = await openConsole(dir)
      const server = await serverOf(opened)
      assert.equal(await opened.stop(signal), 0)
      await untilGone(server)
      assert.equal(opened.stderr(), "")
    })
  }

  it("takes its server with it when it is killed", async () => {
    const opened = await openConsole(dir)
    const server = await serverOf(opened)
    assert.equal(await opened.stop("SIGKILL"), null)
    await untilGone(server)
  })

  it("ends with its server when its time is over", async () => {
    const opened = await openConsole(dir, ["--for", "3s"])
    const server = await serverOf(opened)
    assert.equal(await opened.ended, 0)
    await untilGone(server)
    for (const [text, isFit] of [
      ["7d", true],
      ["169h", false],
      ["0s", false],
      ["soon", false],
    ] as const) {
      const life = ["--for", text]
      const nowhere = ["--dir", join(installation.home, "nowhere")]
      const { stderr } = await countersignProcess(["console", ...nowhere, ...life])
      assert.equal(stderr.includes("--for takes a duration"), !isFit, text)
    }
  })

  it("ends when its server does, and says so", async () => {
    const opened = await openConsole(dir)
    process.kill(await serverOf(opened), "SIGKILL")
    assert.equal(await opened.ended, 1)
    assert.match(opened.stderr(), /The console's server ended by itself/)
  })

  it(
    "prints a new link at Enter, which ends the earlier one, and ends at Ctrl-C",
    needsTerminal,
    async () => {
      const line = shellLine([process.execPath, bin, "console", "--dir", dir])
      const tunnel = "<this machine>"
      const { screen, code } = await onTerminal(`exec ${line}`, [
        { after: tunnel, keys: enter },
        { after: tunnel, keys: ctrlC },
      ])
      assert.equal(code, 0)
      assert.match(screen, /Enter prints a new one\./)
      const links = screen.match(/http:\/\/127\.0\.0\.1:\d+\/#[\w-]{43}/g) ?? []
      assert.equal(links.length, 2)
      assert.notEqual(links[0], links[1])
    },
  )

  it("ends with its server when its terminal hangs up", needsTerminal, async () => {
    const line = shellLine([process.execPath, bin, "console", "--dir", dir, "--for", "11m"])
    const terminal = spawn("script", ["-qec", line, "/dev/null"], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, SHELL: "/bin/sh", TERM: "xterm" },
    })
    await once(terminal.stdout, "data")
    const command = await childRunning(terminal.pid ?? 0, "--for 11m")
    const server = await childRunning(command.pid, "console/serve/main")
    terminal.kill("SIGKILL")
    await untilGone(server.pid)
    await untilGone(command.pid)
  })

  it("goes on over a restart of the daemon, whose admin secret is another then", async (t) => {
    const opened = await openConsole(dir)
    t.after(() => opened.stop())
    const session = await logIn(opened.link)
    await session.look()
    await daemon.stop()
    const away = await session.until(({ status }) => status === 503, "the vault is away")
    assert.match(away.text, /No daemon runs here|Nobody answers on/)
    daemon = await serve(dir)
    await session.until(({ status }) => status === 200, "it is back")
    assert.equal((await session.call("/freeze", { reason: "a drill" })).status, 200)
    assert.equal((await thaw()).code, 0)
  })

  it("says that there is nothing to show where no daemon runs, and leaves nothing running", async (t) => {
    const other = await makeInstallation(["--backend", "memory", "--venue", "sandbox"])
    t.after(() => other.remove())
    const { code, stderr } = await countersignProcess(["console", "--dir", other.dir])
    assert.equal(code, 4)
    assert.match(stderr, /^countersign: No daemon runs here, so there is nothing to show/)
  })

  it("ends its server, and itself, where that asks for something else than it may", async (t) => {
    const checkout = join(installation.home, "rogue")
    const program = await makeCheckout(checkout)
    const rogue = fileURLToPath(new URL("../support/rogue-console.ts", import.meta.url))
    await cp(rogue, join(checkout, "src/console/serve/main.ts"))
    t.after(thaw)
    const child = spawn(process.execPath, [program, "console", "--dir", dir], {
      stdio: ["ignore", "pipe", "pipe"],
    })
    let stderr = ""
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()))
    const [code] = (await once(child, "exit")) as [number]
    assert.equal(code, 1)
    // It may freeze; it was told nothing of what came after.
    assert.match(stderr, /heard \{"jsonrpc":"2\.0","id":1,"result":\{"scope":"all"/)
    assert.doesNotMatch(stderr, /"id":[23]/)
    // What it says can't be taken for what the command says.
    assert.match(stderr, /^the console's server: http:\/\/127\.0\.0\.1:9\/#mine$/m)
    assert.doesNotMatch(stderr, /^(?:http|heard)/m)
    assert.match(stderr, /The console's server ended by itself/)
    const { freezes } = await statusJson<StatusView>(["--dir", dir])
    assert.deepEqual(
      freezes.map(({ reason }) => reason),
      ["what it may do"],
    )
  })
})

describe("countersign console by root, on an installation of another user", needsRoot, () => {
  /** Users that this machine needn't know. */
  const [owner, alice, nobody] = [54_321, 54_322, 65_534]
  let installation: TemporaryInstallation
  let daemon: Served
  before(async () => {
    installation = await makePassphraseInstallation()
    const { home, dir } = installation
    execFileSync("chown", ["-R", `${owner}:${owner}`, home])
    daemon = await serve(dir, [], { environment: { XDG_STATE_HOME: join(home, "state") } })
  })
  after(async () => {
    await daemon.stop()
    await killAllNaming(installation.home)
    await installation.remove()
  })

  for (const [what, environment, id, by] of [
    ["by root itself", { SUDO_UID: "", SUDO_GID: "", SUDO_USER: "" }, nobody, "unknown"],
    [
      "by sudo",
      { SUDO_UID: String(alice), SUDO_GID: String(alice), SUDO_USER: "alice" },
      alice,
      "alice",
    ],
    [
      "by sudo of the installation's owner",
      { SUDO_UID: String(owner), SUDO_GID: String(owner), SUDO_USER: "owner" },
      nobody,
      "owner",
    ],
  ] as const) {
    it(`serves its page as ${id === nobody ? "nobody" : "who is behind it"}, ${what}`, async (t) => {
      const opened = await openConsole(installation.dir, [], { environment })
      t.after(() => opened.stop())
      const server = await serverOf(opened)
      for (const ids of ["Uid", "Gid"] as const) {
        assert.deepEqual(idsOf(server, ids), [id, id, id, id])
        assert.deepEqual(idsOf(opened.pid, ids), [owner, owner, owner, owner])
      }
      assert.deepEqual(idsOf(server, "Groups"), [])
      const session = await logIn(opened.link)
      assert.equal((await session.look()).state.signs, "all")
      const frozen = await session.call("/freeze", { reason: "a drill" })
      assert.equal((JSON.parse(frozen.text) as { by: string }).by, `console/${by}`)
      assert.equal((await countersignProcess(["thaw", "--all", "--dir", installation.dir])).code, 0)
    })
  }

  it("can't take a port that root alone may have, and says so", async () => {
    const { dir } = installation
    const { code, stderr } = await countersignProcess(["console", "--dir", dir, "--port", "1"])
    assert.equal(code, 1)
    assert.match(
      stderr,
      /^countersign: Can't listen on 127\.0\.0\.1 port 1 \(EACCES\); choose another\.\n$/,
    )
  })

  it("serves it from a checkout and dependencies that its user can't read", async (t) => {
    const home = join(installation.home, "hidden")
    const program = await makeCheckout(home, "with its own")
    execFileSync("chmod", ["-R", "go=", home])
    execFileSync("chown", ["-R", "0:0", home])
    execFileSync("chmod", ["go+x", installation.home])
    const opened = await openConsole(installation.dir, [], { program })
    t.after(() => opened.stop())
    const server = await serverOf(opened)
    assert.ok(runningProcess(server)?.commandLine.includes(home))
    assert.deepEqual(idsOf(server, "Uid"), [nobody, nobody, nobody, nobody])
    const read = spawnSync("cat", [join(home, "package.json")], { uid: nobody, gid: nobody })
    assert.equal(read.status, 1)
    const { port, link } = opened
    for (const path of ["/", "/assets/main.js", "/assets/lib/lit-html.js"]) {
      assert.equal((await exchange(port, { path })).status, 200)
    }
    const session = await logIn(link)
    assert.equal((await session.look()).state.signs, "all")
    assert.equal(
      (await session.call("/record", { id: `rec_${"0".repeat(26)}`, seq: 1 })).text,
      "null",
    )
    assert.equal((await session.call("/freeze", { reason: "a drill" })).status, 200)
    assert.equal((await session.call("/freeze", { reason: "" })).status, 400)
    assert.equal((await session.call("/end")).status, 200)
    assert.equal(opened.stderr(), "")
    await countersignProcess(["thaw", "--all", "--dir", installation.dir])
  })

  it("keeps admin.secret and the keystore from its server, by its user and by its flags", () => {
    const files = ["admin.secret", "keystore/master.json"].map((file) =>
      join(installation.dir, file),
    )
    const probe = fileURLToPath(new URL("../support/rights-probe.ts", import.meta.url))
    const readBy = (user: number, flags: readonly string[]): unknown => {
      const ran = spawnSync(process.execPath, [...flags, probe, String(user), ...files], {
        encoding: "utf8",
      })
      assert.equal(ran.stderr, "")
      return JSON.parse(ran.stdout)
    }
    const flags = gatePermissionFlags(gateAppDirectories())
    for (const user of [nobody, alice]) {
      for (const file of files) {
        assert.notEqual(spawnSync("cat", [file], { uid: user, gid: user }).status, 0, file)
      }
      assert.deepEqual(readBy(user, []), ["EACCES", "EACCES"])
      assert.deepEqual(readBy(user, flags), ["ERR_ACCESS_DENIED", "ERR_ACCESS_DENIED"])
    }
    // They are there, and their owner reads them.
    assert.deepEqual(readBy(owner, []), ["read", "read"])
  })

  it("keeps its server's memory from other processes of that user", async (t) => {
    const opened = await openConsole(installation.dir, [], { environment: { SUDO_UID: "" } })
    t.after(() => opened.stop())
    const server = await serverOf(opened)
    for (const file of ["mem", "environ", "maps"]) {
      const read = spawnSync("head", ["-c", "1", `/proc/${server}/${file}`], {
        ...{ uid: nobody, gid: nobody },
      })
      assert.equal(read.status, 1, file)
    }
  })
})
