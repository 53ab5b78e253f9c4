import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { join } from "node:path"
import { after, afterEach, before, beforeEach, describe, it } from "node:test"

import {
  countersign,
  makeInstallation,
  serve,
  type Served,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { bin } from "../support/published.ts"
import {
  childRunning,
  killAllNaming,
  processesBelow,
  until,
  untilNoneNames,
} from "../support/process-tree.ts"

// What would write the memory of a process with keys to a disk, or open it to a debugger: core files,
// reports, heap snapshots, the inspector. Linux's /proc tells what each process is set to.

const sigusr1Bit = 1n << 9n // proc(5): signal n is bit n - 1

type Trio = { readonly supervisor: number; readonly gate: number; readonly vault: number }

async function trioOf(supervisor: number): Promise<Trio> {
  const { pid: gate } = await childRunning(supervisor, "gate/main")
  const { pid: vault } = await childRunning(supervisor, "vault/main")
  return { supervisor, gate, vault }
}

function fieldOf(pid: number, file: "limits" | "status", name: string): string {
  const line = readFileSync(`/proc/${pid}/${file}`, "utf8")
    .split("\n")
    .find((each) => each.startsWith(name))
  return line?.slice(name.length).trim() ?? assert.fail(`no ${name} in ${file}`)
}

function isSet(pid: number, mask: "SigBlk:" | "SigCgt:" | "ShdPnd:"): boolean {
  return (BigInt(`0x${fieldOf(pid, "status", mask)}`) & sigusr1Bit) !== 0n
}

function threadsOf(pid: number): readonly string[] {
  const task = `/proc/${pid}/task`
  return readdirSync(task).map((id) => readFileSync(join(task, id, "comm"), "utf8").trim())
}

/** How many of a process's sockets listen for TCP, as an inspector's would. */
function countTcpListeners(pid: number): number {
  const open = readdirSync(`/proc/${pid}/fd`).map((fd) =>
    readlinkOrNothing(`/proc/${pid}/fd/${fd}`),
  )
  const tables = ["tcp", "tcp6"].map((name) => readFileSync(`/proc/${pid}/net/${name}`, "utf8"))
  const listening = tables
    .flatMap((table) => table.split("\n").slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter((columns) => columns[3] === "0A") // TCP_LISTEN
    .map((columns) => `socket:[${columns[9] ?? ""}]`)
  return listening.filter((socket) => open.includes(socket)).length
}

function readlinkOrNothing(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return "" // closed meanwhile
  }
}

describe("the memory of supervisor, gate and vault", { timeout: 120_000 }, () => {
  let installation: TemporaryInstallation
  let daemon: Served
  let trio: Trio
  let written: string
  before(async () => {
    installation = await makeInstallation(["--venue", "sandbox", "--backend", "memory"])
  })
  after(() => installation.remove())
  beforeEach(async () => {
    written = join(installation.home, "written")
    mkdirSync(written, { recursive: true })
    // What an operator's shell may have set for other programs.
    const asked = "--report-on-signal --report-uncaught-exception --heapsnapshot-signal=SIGUSR2"
    const environment = { NODE_OPTIONS: `${asked} --diagnostic-dir=${written}` }
    daemon = await serve(installation.dir, [], { environment })
    trio = await trioOf(daemon.pid)
  })
  afterEach(async () => {
    await daemon.stop()
    await killAllNaming(installation.home)
  })

  it("goes into no core file, of whatever size one may be", () => {
    for (const pid of [trio.gate, trio.vault]) {
      assert.match(fieldOf(pid, "limits", "Max core file size"), /^0 +0 +bytes$/)
    }
    for (const pid of Object.values(trio)) {
      assert.equal(readFileSync(`/proc/${pid}/coredump_filter`, "utf8"), "00000000\n")
    }
  })

  it("is opened to no inspector by SIGUSR1", async () => {
    for (const pid of Object.values(trio)) process.kill(pid, "SIGUSR1")
    // Node's own handler is gone from the supervisor, which has taken the signal; the others never take it.
    await until(() => (isSet(trio.supervisor, "ShdPnd:") ? undefined : true), "it was taken")
    assert.ok(isSet(trio.supervisor, "SigCgt:"))
    for (const pid of [trio.gate, trio.vault]) {
      assert.deepEqual([isSet(pid, "SigCgt:"), isSet(pid, "SigBlk:")], [false, true])
      assert.ok(!threadsOf(pid).includes("SignalInspector"))
    }
    assert.equal((await countersign(["status", "--dir", installation.dir])).code, 0)
    assert.deepEqual(await trioOf(daemon.pid), trio)
    assert.deepEqual(
      [trio.supervisor, trio.gate, trio.vault].map(countTcpListeners),
      [0, 1, 0], // the gate's port
    )
    assert.doesNotMatch(daemon.stderr(), /Debugger/)
  })

  it("is written to no report and no heap snapshot, whatever NODE_OPTIONS says", async () => {
    for (const pid of [trio.gate, trio.vault]) process.kill(pid, "SIGUSR2")
    const next = await until(async () => {
      const now = await trioOf(daemon.pid)
      return now.gate === trio.gate || now.vault === trio.vault ? undefined : now
    }, "both were started anew")
    await until(() => isReady(daemon.url), "both are ready")
    for (const pid of [next.gate, next.vault]) process.kill(pid, "SIGABRT")
    assert.equal(await daemon.stop(), 0)
    assert.deepEqual(readdirSync(written), [])
  })
})

async function isReady(url: string): Promise<true | undefined> {
  const answer = await fetch(`${url}/readyz`).catch(() => undefined)
  return answer?.ok === true ? true : undefined
}

describe("a process that crashes", { timeout: 120_000 }, () => {
  for (const signal of ["SIGABRT", "SIGSEGV"] as const) {
    it(`leaves none of its memory where it worked, on ${signal}`, async (t) => {
      const installation = await makeInstallation(["--venue", "sandbox", "--backend", "memory"])
      t.after(() => installation.remove())
      const { dir, home } = installation
      const marker = `MARKER-${"of-its-environment-".repeat(2)}${process.pid}`
      const supervisor = await startWithCores(dir, { cwd: home, marker })
      t.after(() => killAllNaming(home))

      for (const entry of ["vault/main", "gate/main"]) {
        const { pid } = await childRunning(supervisor, entry)
        process.kill(pid, signal)
        await until(() => {
          const now = processesBelow(supervisor).map((each) => each.pid)
          return now.includes(pid) ? undefined : true
        }, `${entry} has ended`)
      }
      assert.deepEqual(coresIn(home), [])

      process.kill(supervisor, signal)
      await untilNoneNames(dir)
      for (const core of coresIn(home)) {
        assert.equal(readFileSync(core).includes(marker), false)
      }
    })
  }
})

/** Starts a daemon that may leave core files as large as this machine allows, and returns its supervisor. */
async function startWithCores(
  dir: string,
  { cwd, marker }: { readonly cwd: string; readonly marker: string },
): Promise<number> {
  const line = 'ulimit -S -c "$(ulimit -H -c)"; exec "$@"'
  const args = [process.execPath, bin, "serve", "--dir", dir, "--port", "0"]
  const child = spawn("sh", ["-c", line, "sh", ...args], {
    cwd,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, MARKER: marker },
  })
  let stdout = ""
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()))
  while (!stdout.includes("listening on")) await once(child.stdout, "data")
  return child.pid ?? assert.fail("no process")
}

/** As core_pattern names them by default; one that goes elsewhere is the launcher's coredump_filter's concern. */
function coresIn(directory: string): readonly string[] {
  return readdirSync(directory)
    .filter((name) => name.startsWith("core"))
    .map((name) => join(directory, name))
}
