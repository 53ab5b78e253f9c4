import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"

const bin = fileURLToPath(new URL("../../bin/countersign.js", import.meta.url))

export type Ended = {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs the command line as a process of its own, to its end. */
export async function countersign(args: readonly string[], input = ""): Promise<Ended> {
  const child = spawn(process.execPath, [bin, ...args], { stdio: "pipe" })
  child.stdin.on("error", () => undefined) // it may end without reading
  child.stdin.end(input)
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit") as Promise<[number | null]>,
  ])
  return { code, stdout, stderr }
}

/** Runs the command line and reads the JSON that it prints. @throws when its exit code isn't 0. */
export async function countersignJson<Answer>(
  args: readonly string[],
  input = "",
): Promise<Answer> {
  const { code, stdout, stderr } = await countersign([...args, "--json"], input)
  if (code !== 0)
    throw new Error(`countersign ${args.join(" ")} ended with ${code}: ${stdout}${stderr}`)
  return JSON.parse(stdout) as Answer
}

export type TemporaryInstallation = {
  readonly dir: string
  readonly passphraseFile: string
  remove(): Promise<void>
}

/** An installation in a directory of its own, made by `countersign init`. */
export async function makeInstallation(
  initOptions: readonly string[] = ["--venue", "sandbox"],
): Promise<TemporaryInstallation> {
  const home = await mkdtemp(join(tmpdir(), "cs-"))
  const dir = join(home, "d")
  const passphraseFile = join(home, "passphrase")
  await writeFile(passphraseFile, "correct horse battery staple\n", { mode: 0o600 })
  const ended = await countersign([
    ...["init", "--dir", dir, "--backend", "keystore", "--passphrase-file", passphraseFile],
    ...initOptions,
  ])
  if (ended.code !== 0) throw new Error(`init ended with ${ended.code}: ${ended.stderr}`)
  return { dir, passphraseFile, remove: () => rm(home, { recursive: true, force: true }) }
}

export type Served = {
  readonly url: string
  readonly pid: number
  /** Everything it has written to stderr so far. */
  stderr(): string
  /** Sends a signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** Starts `countersign serve` on a free port and waits for its line. @throws when it ends before. */
export function serve(dir: string, options: readonly string[] = []): Promise<Served> {
  return untilListening(["serve", "--dir", dir, "--port", "0", ...options])
}

/** Starts `countersign sandbox` on a free port and waits for its line. */
export function sandbox(options: readonly string[] = []): Promise<Served> {
  return untilListening(["sandbox", "--port", "0", ...options])
}

async function untilListening(args: readonly string[]): Promise<Served> {
  const child = spawn(process.execPath, [bin, ...args], { stdio: ["ignore", "pipe", "pipe"] })
  let stdout = ""
  let stderr = ""
  const exited = once(child, "exit") as Promise<[number | null]>
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()))
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk.toString()
      const [, found] = /listening on (http:\S+)/.exec(stdout) ?? []
      if (found !== undefined) resolve(found)
    })
    void exited.then(([code]) => reject(new Error(`${args[0]} ended with ${code}: ${stderr}`)))
  })
  return {
    url,
    pid: child.pid ?? 0,
    stderr: () => stderr,
    stop: async (signal = "SIGTERM") => {
      child.kill(signal)
      return (await exited)[0]
    },
  }
}
