import { spawn, type ChildProcess } from "node:child_process"
import { existsSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"

import type * as z from "zod"

import { Fault, type FaultCode } from "../../std/fault.ts"
import { logLevelVariable } from "../../std/log.ts"
import { programFile } from "../../std/program-files.ts"
import { passingCodes } from "../../std/systemd.ts"
import { logFailure, log } from "../../vault/process/log.ts"
import { memoryVariables } from "./process-flags.ts"

type ChildAsk<Message extends ReadyOrFailed> = {
  /** What people call it. */
  readonly name: string
  /** Its entry, as `programFile` takes it. */
  readonly entry: string
  readonly nodeFlags: readonly string[]
  readonly args: readonly string[]
  readonly messages: z.ZodType<Message>
  /** Written to its standard input, then overwritten. */
  readonly input?: Uint8Array | undefined
}

type ReadyOrFailed =
  | { readonly type: "ready" }
  | { readonly type: "failed"; readonly code: string; readonly message: string }

/** Who has a process end. */
export type Stopper = "person" | "supervisor"

type Child<Ready> = {
  readonly ready: Ready
  /** Resolves when it has ended, with how, in a sentence. */
  readonly ended: Promise<string>
  signal(name: NodeJS.Signals): void
  /** Asks it to finish what is at work, and ends it if it takes longer than the grace. The vault keeps whether a person asked. */
  stop(by?: Stopper): Promise<void>
}

/** Longer than the gate's and the vault's own bounds on finishing. */
const graceMs = 15_000

const shell = "/bin/sh"

/**
 * Starts one of our processes and waits until it says over IPC that it is ready.
 *
 * @throws {Fault} the one that the process failed with.
 */
export async function startChild<Message extends ReadyOrFailed>(
  ask: ChildAsk<Message>,
): Promise<Child<Extract<Message, { type: "ready" }>>> {
  const nodeArgs = [...ask.nodeFlags, programFile(ask.entry), ...ask.args]
  const child = spawn(...withoutCoreFile(process.execPath, nodeArgs), {
    stdio: [ask.input === undefined ? "ignore" : "pipe", "inherit", "inherit", "ipc"],
    env: childEnvironment(),
    detached: true, // in a session of its own: what a terminal sends is for serve to take
  })
  child.stdin?.on("error", () => undefined) // it may end without reading; its end says why
  child.stdin?.end(ask.input, () => ask.input?.fill(0))
  const ended = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) =>
      resolve(
        `The ${ask.name} ${signal === null ? `ended with ${code}` : `was killed by ${signal}`}.`,
      ),
    )
    child.once("error", () => resolve(`The ${ask.name} couldn't be started.`))
  })
  const ready = await firstMessage(child, ask).catch(async (error: unknown) => {
    await stop(child, ended)
    throw error
  })
  return {
    ready,
    ended,
    signal: (name) => void child.kill(name),
    stop: (by) => stop(child, ended, by),
  }
}

function firstMessage<Message extends ReadyOrFailed>(
  child: ChildProcess,
  { name, messages }: ChildAsk<Message>,
): Promise<Extract<Message, { type: "ready" }>> {
  return new Promise((resolve, reject) => {
    child.once("message", (received) => {
      const message = messages.parse(received)
      if (message.type === "failed")
        reject(new Fault(message.code as FaultCode, message.message)) // ours to ours
      else resolve(message as Extract<Message, { type: "ready" }>)
    })
    const endedEarly = (code: FaultCode, how: string): void =>
      reject(new Fault(code, `The ${name} ${how} before it was ready; its output says why.`))
    child.once("exit", (_, signal) =>
      // Whoever kills one, as Linux does where memory is short, may let the next one be.
      signal === null
        ? endedEarly("internal", "ended")
        : endedEarly("vault_unavailable", `was killed by ${signal}`),
    )
    child.once("error", () => endedEarly("internal", "ended"))
  })
}

/** A signal is a person's word; without one, it is as if the parent had died. */
async function stop(
  child: ChildProcess,
  ended: Promise<unknown>,
  by: Stopper = "supervisor",
): Promise<void> {
  if (by === "person" || !child.connected) child.kill("SIGTERM")
  else child.disconnect()
  const timer = setTimeout(() => child.kill("SIGKILL"), graceMs)
  await ended
  clearTimeout(timer)
}

/**
 * Node can't set a resource limit, the shell can; by `exec` it becomes the process, so pid, signals and IPC
 * are as without it. Where there is no shell, the launcher's coredump_filter alone holds.
 */
function withoutCoreFile(program: string, args: readonly string[]): [string, readonly string[]] {
  if (!existsSync(shell)) return [program, args]
  return [shell, ["-c", 'ulimit -c 0; exec "$@"', "sh", program, ...args]]
}

/**
 * What gate and vault read of the environment, and no more: NODE_OPTIONS, LD_PRELOAD and OpenSSL's variables, among
 * others, could load code into the process with the keys.
 */
const passedOn: readonly string[] = [
  ...["PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "TZ", "LANG", "LC_ALL"],
  ...["XDG_STATE_HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"],
  ...["CREDENTIALS_DIRECTORY", "JOURNAL_STREAM", logLevelVariable],
]

function childEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => passedOn.includes(name))
  return { ...memoryVariables, ...Object.fromEntries(kept) }
}

export type Kept = ReturnType<typeof keepRunning>

/** Between restarts, so that a process that ends at once doesn't take the machine. Doubles up to the longest. */
const shortestPauseMs = 100
const longestPauseMs = 2_000
/** A process that ran this long has recovered. */
const steadyMs = 60_000

/**
 * Starts a process again whenever it ends unasked, for as long as what hinders it can pass. Without
 * `restart` its first end is final.
 */
export function keepRunning<Ready>(
  first: Child<Ready>,
  restart: (() => Promise<Child<Ready>>) | undefined,
) {
  let current = first
  let isStopping = false
  const startAgain = patiently(restart)
  const stopsNow = (): boolean => isStopping

  async function watch(): Promise<never> {
    for (let pauseMs = shortestPauseMs; ;) {
      const startedMs = performance.now()
      const message = await current.ended
      if (stopsNow()) return new Promise<never>(() => undefined)
      log({ level: "warn", event: "process_ended", message })
      if (startAgain === undefined) throw endedFault()
      if (performance.now() - startedMs > steadyMs) pauseMs = shortestPauseMs
      await sleep(pauseMs)
      if (stopsNow()) return new Promise<never>(() => undefined)
      pauseMs = Math.min(2 * pauseMs, longestPauseMs)
      current = (await startAgain()) ?? current
      if (stopsNow()) await current.stop()
    }
  }

  const broken = watch()
  broken.catch(() => undefined) // whoever waits for it hears of it; nobody has to
  return {
    /** Rejects when the process ended and can't be started again. */
    broken,
    /** To the process that runs now. */
    signal: (name: NodeJS.Signals) => current.signal(name),
    stop: async (by?: Stopper) => {
      isStopping = true
      await current.stop(by)
    },
  }
}

/**
 * `restart`, but `undefined` while that which hinders it can pass: no reason to give up. The log hears of
 * it once; a command that has the ledger open for a moment isn't worth a line.
 */
function patiently<Ready>(restart: (() => Promise<Child<Ready>>) | undefined) {
  if (restart === undefined) return undefined
  let isLogged = false
  return async (): Promise<Child<Ready> | undefined> => {
    try {
      const child = await restart()
      isLogged = false
      return child
    } catch (error) {
      if (!(error instanceof Fault && passingCodes.has(error.code))) throw error
      if (error.code !== "already_running" && !isLogged) {
        isLogged = true
        logFailure("restart_failed", error)
      }
      return undefined
    }
  }
}

function endedFault(): Fault {
  return new Fault(
    "vault_unavailable",
    "The vault ended, and the passphrase that was typed isn't kept; start countersign serve again.",
  )
}
