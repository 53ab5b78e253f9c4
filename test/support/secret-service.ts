import { execFileSync, spawn, type ChildProcess } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { preflight, type KeychainState } from "../../src/vault/keyring/keychain/preflight.ts"
import { needs } from "./needs.ts"
import { until } from "./process-tree.ts"

/** A gnome-keyring on a bus of its own, which this process's environment points at until it is stopped. */
export type SecretService = {
  readonly directory: string
  /** Locks the default collection. */
  lock(): Promise<void>
  /** Starts the keyring daemon anew, over the same files. `password` other than the first opens nothing. */
  restart(password?: string): Promise<void>
  /** Starts the keyring daemon anew over no files, and without a password: it makes no collection. */
  restartEmpty(): Promise<void>
  /** Ends the keyring daemon at once. */
  kill(): Promise<void>
  /** Holds the keyring daemon, or lets it go on: it keeps its name on the bus and answers nothing. */
  signal(name: "SIGSTOP" | "SIGCONT"): void
  /** Ends both and removes their files; the environment is what it was. */
  stop(): Promise<void>
}

/** Options for a test that needs the keychain. */
export function needsSecretService(): { readonly skip?: string } {
  const aptLine = "apt-get install gnome-keyring dbus systemd libsecret-tools"
  const [missing] = ["gnome-keyring-daemon", "dbus-daemon", "busctl", "secret-tool"]
    .map((command) => needs(command, aptLine))
    .filter(({ skip }) => skip !== undefined)
  return missing ?? {}
}

const firstPassword = "correct horse battery staple"

/** Starts a bus and a keyring with an unlocked default collection. */
export async function startSecretService(): Promise<SecretService> {
  const directory = mkdtempSync(join(tmpdir(), "cs-secrets-"))
  const restore = setEnvironment(placesIn(directory))
  const running: Running = { bus: startBus(directory), daemon: undefined }
  const stop = async (): Promise<void> => {
    await endChild(running.daemon)
    await endChild(running.bus)
    rmSync(directory, { recursive: true })
    restore()
  }
  const kill = async (): Promise<void> => {
    await endChild(running.daemon)
    await untilState("no_service")
  }
  const start = async (password: string): Promise<void> => {
    running.daemon = startDaemon(password)
    await untilState(password === firstPassword ? "ready" : "locked")
  }
  try {
    await untilState("no_service")
    await start(firstPassword)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    directory,
    // Asked again and again: on a busy machine gnome-keyring once took the call and stayed open.
    lock: async () => {
      await until(async () => {
        lockDefaultCollection()
        return (await preflight()) === "locked" ? true : undefined
      }, "the keychain is locked")
    },
    restart: async (password = firstPassword) => {
      await kill()
      await start(password)
    },
    restartEmpty: async () => {
      await kill()
      rmSync(join(directory, "data", "keyrings"), { recursive: true })
      running.daemon = startDaemon(undefined)
      await untilState("no_collection")
    },
    kill,
    signal: (name) => void running.daemon?.kill(name),
    stop,
  }
}

type Running = { readonly bus: ChildProcess; daemon: ChildProcess | undefined }

/** Where programs of a session keep their files, and its bus. */
export function placesIn(directory: string) {
  const [run, data] = [join(directory, "run"), join(directory, "data")]
  for (const path of [run, data]) mkdirSync(path, { mode: 0o700 })
  return {
    HOME: directory,
    XDG_DATA_HOME: data,
    XDG_RUNTIME_DIR: run,
    DBUS_SESSION_BUS_ADDRESS: `unix:path=${join(run, "bus")}`,
  }
}

/** Sets variables of this process's environment; what it returns sets them back. */
export function setEnvironment(variables: Readonly<Record<string, string>>): () => void {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, variables)
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) Reflect.deleteProperty(process.env, name)
      else process.env[name] = value
    }
  }
}

function lockDefaultCollection(): void {
  const service = ["org.freedesktop.secrets", "/org/freedesktop/secrets"]
  const paths = ["ao", "1", "/org/freedesktop/secrets/aliases/default"]
  const method = ["org.freedesktop.Secret.Service", "Lock"]
  execFileSync("busctl", ["--user", "call", ...service, ...method, ...paths], { timeout: 10_000 })
}

async function untilState(state: KeychainState): Promise<void> {
  const isSo = async () => ((await preflight()) === state ? true : undefined)
  await until(isSo, `the keychain is ${state}`)
}

// No service directories: nothing starts by itself, so that no service means none.
export function startBus(directory: string): ChildProcess {
  const config = join(directory, "bus.conf")
  writeFileSync(
    config,
    `<busconfig><type>session</type><listen>unix:path=${directory}/run/bus</listen><auth>EXTERNAL</auth>
    <policy context="default"><allow own="*"/><allow send_destination="*" eavesdrop="false"/>
    <allow receive_sender="*" eavesdrop="false"/></policy></busconfig>`,
  )
  const args = [`--config-file=${config}`, "--nofork", "--nopidfile", "--nosyslog"]
  return spawn("dbus-daemon", args, { stdio: "ignore" })
}

function startDaemon(password: string | undefined): ChildProcess {
  const unlock = password === undefined ? [] : ["--unlock"]
  const args = ["--components=secrets", ...unlock, "--foreground"]
  const daemon = spawn("gnome-keyring-daemon", args, { stdio: ["pipe", "ignore", "ignore"] })
  daemon.stdin.on("error", () => undefined) // it may be ended before it has read
  daemon.stdin.end(password)
  return daemon
}

/** Ends a child and waits until it has ended. */
export async function endChild(
  child: ChildProcess | undefined,
  signal: NodeJS.Signals = "SIGKILL",
): Promise<void> {
  if (child?.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once("exit", resolve))
  child.kill(signal)
  const killing = setTimeout(() => child.kill("SIGKILL"), longestEndMs)
  await ended
  clearTimeout(killing)
}

/** KeePassXC 2.7.4 doesn't always end when it is asked to; what it has is on disk long before. */
const longestEndMs = 10_000
