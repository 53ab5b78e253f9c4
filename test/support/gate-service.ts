import { spawn } from "node:child_process"
import { once } from "node:events"
import { symlinkSync } from "node:fs"
import { join } from "node:path"
import type { TestContext } from "node:test"
import { fileURLToPath } from "node:url"

import { gateAppDirectories, gatePermissionFlags } from "../../src/commands/daemon/process-flags.ts"
import { temporaryDirectory } from "./link-peer.ts"
import { startNotifySocket, type NotifySocket } from "./notify-socket.ts"
import { until } from "./process-tree.ts"

export type GateService = {
  readonly notify: NotifySocket
  readonly port: number
  /** The Unix socket that the gate serves. */
  readonly path: string
  /** Lines of its log so far: priorities and JSON. */
  log(): readonly string[]
  stderr(): string
  /** Starts it, again too. */
  start(): void
  kill(signal: NodeJS.Signals): Promise<void>
  /** How the start of this number ended, from 0 on, waiting for it: exit code, or 128 and the signal's number. */
  ended(start: number): Promise<number>
  /** Has the gate find a vault that listens at `path`. */
  connectVault(path: string): void
}

const [main, launch, sockets] = [
  "../../src/gate/main.ts",
  "../../systemd/launch",
  "gate-sockets.pl",
].map((path) => fileURLToPath(new URL(path, import.meta.url))) as [string, string, string]

/** Short, so that the beats come soon: nobody here kills a gate that misses one. */
const watchdogMs = 1_000

/** The real gate, on sockets that another process holds and with someone who hears what it tells systemd. */
export async function gateService(
  t: TestContext,
  {
    args = [],
    environment = {},
  }: {
    readonly args?: readonly string[]
    readonly environment?: Readonly<Record<string, string>>
  } = {},
): Promise<GateService> {
  const notify = await startNotifySocket(t)
  const directory = temporaryDirectory()
  const path = join(directory.path, "gate.sock")
  const botSocket = join(directory.path, "bot.sock")
  const flags = gatePermissionFlags(gateAppDirectories())
  const gate = [process.execPath, ...flags, main, "--bot-socket", botSocket, ...args]
  const child = spawn(
    "/usr/bin/perl",
    [sockets, path, "--", "/usr/bin/perl", launch, "--", ...gate],
    {
      stdio: "pipe",
      env: {
        NOTIFY_SOCKET: notify.path,
        WATCHDOG_USEC: String(watchdogMs * 1_000),
        ...environment,
      },
    },
  )
  let [stdout, stderr] = ["", ""]
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk))
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk))
  const all = (word: string): readonly string[] =>
    [...stdout.matchAll(new RegExp(`^${word} (\\d+)$`, "gm"))].map(([, number = ""]) => number)
  const closed = once(child, "close")
  t.after(async () => {
    child.stdin.end()
    const pid = Number(all("pid").at(-1))
    if (all("ended").length < all("pid").length) process.kill(pid, "SIGKILL")
    await closed
    directory.remove()
  })
  const port = Number(await until(() => all("port")[0], "the sockets listen"))
  let starts = 0
  return {
    notify,
    port,
    path,
    log: () => stdout.split("\n").filter((line) => /^<\d>/.test(line)),
    stderr: () => stderr,
    start() {
      starts += 1
      child.stdin.write("start\n")
    },
    async kill(signal) {
      const pid = Number(await until(() => all("pid")[starts - 1], "the gate has a process id"))
      process.kill(pid, signal)
    },
    async ended(start) {
      const status = Number(await until(() => all("ended")[start], "the gate ended"))
      // wait(2): the signal is in the lowest seven bits, the exit code in the next byte.
      return (status & 0x7f) === 0 ? status >> 8 : 128 + (status & 0x7f)
    },
    connectVault: (vault) => symlinkSync(vault, botSocket),
  }
}
