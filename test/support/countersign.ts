import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"

import { runCommand } from "../../src/commands/run-command.ts"
import { keepFiles, registerIfSecret } from "./canaries.ts"
import { keepPrinted, registerGiven, verbOf } from "./canaries-of-commands.ts"
import { memoryKeyboard, memoryTerminal, type MemoryTerminal } from "./memory-terminal.ts"
import { bin, node } from "./published.ts"
import type { Typed } from "./typist.ts"

/** Holds the signers' marks of all installations of this test process, and nothing of the developer's. */
const stateHome = mkdtempSync(join(tmpdir(), "cs-state-"))
process.env["XDG_STATE_HOME"] = stateHome
const credential = "countersign-key"
process.env["CREDENTIALS_DIRECTORY"] = join(stateHome, "credentials")
process.once("exit", () => rmSync(stateHome, { recursive: true, force: true, maxRetries: 10 }))

/** A command that ends by itself ends long before this; one that hangs is killed, and its code is null. */
const longestRunMs = 30_000

export type Ended = {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export type RunOptions = {
  /** After this long it is killed. */
  readonly limitMs?: number
  /** Besides the variables of this process. */
  readonly environment?: Readonly<Record<string, string>>
}

/** Runs a command in this process to its end, on streams in memory: it sees no terminal. */
export async function countersign(
  args: readonly string[],
  input: string | Buffer = "",
): Promise<Ended> {
  registerGiven(args, input)
  return runHere(args, memoryTerminal(input))
}

/** As {@link countersign}, at a terminal where somebody types. */
export async function countersignTyped(
  args: readonly string[],
  typed: readonly Typed[],
): Promise<Ended> {
  for (const { keys } of typed) registerGiven(args, keys)
  return runHere(args, memoryKeyboard(typed))
}

async function runHere(
  args: readonly string[],
  { terminal, stdout, stderr }: MemoryTerminal,
): Promise<Ended> {
  const listening = listenersOfProcess()
  const user = process.getuid?.()
  const code = await asMain(args, () => runCommand(args, terminal))
  assert.equal(process.getuid?.(), user, "a command that becomes another user is run as a process")
  assert.deepEqual(listenersOfProcess(), listening, "a command leaves no listener behind")
  const printed = { stdout: stdout(), stderr: stderr() }
  keepPrinted(args, printed)
  return { code, ...printed }
}

let commandsRunning = 0
let umaskOfTests = 0

/** Under main.ts's umask, which a process has once for all commands that run in it. One that hangs ends them all. */
async function asMain<Result>(args: readonly string[], run: () => Promise<Result>) {
  const hanging = setTimeout(() => {
    console.error(`countersign ${verbOf(args)} hangs, and these tests with it.`)
    process.exit(1)
  }, longestRunMs)
  if (commandsRunning++ === 0) umaskOfTests = process.umask(0o077)
  try {
    return await run()
  } finally {
    if (--commandsRunning === 0) process.umask(umaskOfTests)
    clearTimeout(hanging)
  }
}

function listenersOfProcess(): readonly (readonly [string, number])[] {
  return process.eventNames().map((name) => [String(name), process.listenerCount(name)] as const)
}

/** Runs a command as a process of its own to its end, for a test about the process. */
export async function countersignProcess(
  args: readonly string[],
  input: string | Buffer = "",
  { limitMs = longestRunMs, environment = {} }: RunOptions = {},
): Promise<Ended> {
  registerGiven(args, input)
  const child = spawn(node, [bin, ...args], {
    stdio: "pipe",
    timeout: limitMs,
    killSignal: "SIGKILL",
    env: { ...process.env, ...environment },
  })
  child.stdin.on("error", () => undefined) // it may end without reading
  child.stdin.end(input)
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit") as Promise<[number | null]>,
  ])
  keepPrinted(args, { stdout, stderr })
  return { code, stdout, stderr }
}

/** Runs a command in this process and reads the JSON that it prints. @throws when its exit code isn't 0. */
export async function countersignJson<Answer>(
  args: readonly string[],
  input: string | Buffer = "",
): Promise<Answer> {
  const { code, stdout, stderr } = await countersign([...args, "--json"], input)
  if (code !== 0)
    throw new Error(`countersign ${args.join(" ")} ended with ${code}: ${stdout}${stderr}`)
  return JSON.parse(stdout) as Answer
}

/** What `status --json` says of the installation that `where` names; its exit code says whether anything is signed. */
export async function statusJson<Answer>(where: readonly string[]): Promise<Answer> {
  const { code, stdout, stderr } = await countersign(["status", ...where, "--json"])
  const answer = JSON.parse(stdout) as Answer & { readonly state?: { readonly signs: string } }
  assert.equal(code, answer.state?.signs === "nothing" ? 1 : 0, stderr)
  return answer
}

export type TemporaryInstallation = {
  /** Holds the installation, the passphrase's file and whatever a test puts beside them. */
  readonly home: string
  readonly dir: string
  readonly passphraseFile: string
  remove(): Promise<void>
}

/** The line of countersign.yaml in the installations of tests that may ask for more than the venue allows. */
export const budgetsOff = "budgets: {address: off, ip: off}\n"

/** Puts other settings of countersign.yaml in place of that line. */
export async function withBudgets(dir: string, settings: string): Promise<void> {
  const file = join(dir, "countersign.yaml")
  await writeFile(file, (await readFile(file, "utf8")).replace(budgetsOff, settings))
}

/** What the installations of tests are opened with; long enough for a credential. */
export const passphrase = "correct horse battery staple, in 42 bytes"

/**
 * An installation in a directory of its own, made by `countersign init`. Unless the options name another
 * backend, it has a keystore that a systemd credential opens: a passphrase takes a second of processor
 * time at each start.
 */
export async function makeInstallation(
  initOptions: readonly string[] = ["--venue", "sandbox"],
): Promise<TemporaryInstallation> {
  const directory = join(stateHome, "credentials")
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await writeFile(join(directory, credential), `${passphrase}\n`, { mode: 0o600 })
  const isKeystore = !initOptions.includes("--backend")
  return initInstallation([...(isKeystore ? ["--credential", credential] : []), ...initOptions])
}

/** As {@link makeInstallation}, with a keystore that a passphrase opens, at its full cost. */
export async function makePassphraseInstallation(
  initOptions: readonly string[] = ["--venue", "sandbox"],
): Promise<TemporaryInstallation> {
  return initInstallation(initOptions)
}

/** As {@link makeInstallation}, with a countersign.yaml that names the passphrase's file; it opens at a credential's cost. */
export async function makePassphraseFileInstallation(
  initOptions?: readonly string[],
): Promise<TemporaryInstallation> {
  const installation = await makeInstallation(initOptions)
  const file = join(installation.dir, "countersign.yaml")
  const line = `passphrase_file: ${installation.passphraseFile}`
  await writeFile(file, (await readFile(file, "utf8")).replace(`credential: ${credential}`, line))
  return installation
}

async function initInstallation(options: readonly string[]): Promise<TemporaryInstallation> {
  const home = await mkdtemp(join(tmpdir(), "cs-"))
  const dir = join(home, "d")
  const passphraseFile = join(home, "passphrase")
  await writeFile(passphraseFile, `${passphrase}\n`, { mode: 0o600 })
  const keystore = ["--backend", "keystore", "--passphrase-file", passphraseFile]
  const backend = options.includes("--backend") ? [] : keystore
  const ended = await countersign(["init", "--dir", dir, ...backend, ...options])
  if (ended.code !== 0) throw new Error(`init ended with ${ended.code}: ${ended.stderr}`)
  // Tests are about all else than how much room this machine's disk has, and the venue's rate budgets.
  await appendFile(join(dir, "countersign.yaml"), `ledger: {min_free: 0}\n${budgetsOff}`)
  const remove = async (): Promise<void> => {
    await registerAdminSecret(dir)
    keepFiles(dir)
    await rm(home, { recursive: true, force: true, maxRetries: 10 })
  }
  return { home, dir, passphraseFile, remove }
}

/** That of the last daemon, if one ran here. */
async function registerAdminSecret(dir: string): Promise<void> {
  const secret = await readFile(join(dir, "admin.secret"), "utf8").catch(() => "")
  registerIfSecret("an admin secret", secret)
}

export type Started = {
  readonly pid: number
  /** What `until` found. */
  readonly found: RegExpExecArray
  /** Everything it has written so far. */
  stdout(): string
  stderr(): string
  /** Its exit code, once it has ended; `null` when a signal ended it. */
  readonly ended: Promise<number | null>
  /** Sends a signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

export type StartOptions = {
  /** Besides the variables of this process. */
  readonly environment?: Readonly<Record<string, string>>
  /** Another launcher than this checkout's. */
  readonly program?: string
  /** Another Node. */
  readonly node?: string
}

/** Starts a command that stays up and waits until its stdout has `until`. @throws when it ends before. */
export async function startCountersign(
  args: readonly string[],
  until: RegExp,
  { environment = {}, program = bin, node: by = node }: StartOptions = {},
): Promise<Started> {
  registerGiven(args)
  const child = spawn(by, [program, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...environment },
  })
  let stdout = ""
  let stderr = ""
  const ended = once(child, "exit").then(([code]) => code as number | null)
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()))
  child.once("close", () => keepPrinted(args, { stdout, stderr }))
  const found = await new Promise<RegExpExecArray>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk.toString()
      const match = until.exec(stdout)
      if (match !== null) resolve(match)
    })
    void ended.then((code) => reject(new Error(`${args[0]} ended with ${code}: ${stderr}`)))
  })
  return {
    pid: child.pid ?? 0,
    found,
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
    stop: (signal = "SIGTERM") => {
      child.kill(signal)
      return ended
    },
  }
}

export type Served = Started & { readonly url: string }

/** Starts `countersign serve` on a free port and waits for its line. @throws when it ends before. */
export async function serve(
  dir: string,
  options: readonly string[] = [],
  start: StartOptions = {},
): Promise<Served> {
  const args = ["serve", "--dir", dir, "--port", "0", ...options]
  const served = await untilListening(args, start)
  await registerAdminSecret(dir)
  return served
}

/** Starts `countersign sandbox` on a free port and waits for its line. */
export function sandbox(options: readonly string[] = []): Promise<Served> {
  return untilListening(["sandbox", "--port", "0", ...options])
}

async function untilListening(args: readonly string[], start?: StartOptions): Promise<Served> {
  const started = await startCountersign(args, /listening on (http:\S+)\n/, start)
  return { ...started, url: started.found[1] ?? "" }
}
