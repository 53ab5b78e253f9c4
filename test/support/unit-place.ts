import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"

import { keepPrinted } from "./canaries-of-commands.ts"
import { registerSecret } from "./canaries.ts"
import type { Ended } from "./countersign.ts"
import { bin } from "./published.ts"
import { until } from "./process-tree.ts"

const folder = fileURLToPath(new URL("../../systemd/secret-service/", import.meta.url))
const credentialName = "countersign-keyring"

/** It is promised to have given up by then; one that hasn't is killed, and its code is null. */
const longestStartMs = 30_000

/** The directories that systemd would give the unit. */
export type UnitPlace = {
  readonly home: string
  readonly state: string
  readonly runtime: string
  readonly credentials: string
  remove(): Promise<void>
}

/** Makes them in a directory of their own; `state` may be there already. */
export async function makeUnitPlace(state?: string): Promise<UnitPlace> {
  const home = await mkdtemp(join(tmpdir(), "cs-unit-"))
  const place = {
    home,
    state: state ?? join(home, "state"),
    runtime: join(home, "run"),
    credentials: join(home, "credentials"),
    remove: () => rm(home, { recursive: true, force: true, maxRetries: 10 }),
  }
  const { runtime, credentials } = place
  for (const path of [place.state, runtime, credentials]) {
    await mkdir(path, { mode: 0o700, recursive: true })
  }
  await writePassword(place, newPassword())
  return place
}

/** A password as `head -c 32 /dev/urandom | base64` makes one. */
export function newPassword(): string {
  const password = randomBytes(32).toString("base64")
  registerSecret("the keyring's password", password)
  return `${password}\n`
}

/** Makes `password` the content of the unit's credential. */
export async function writePassword({ credentials }: UnitPlace, password: string): Promise<void> {
  const path = join(credentials, credentialName)
  await rm(path, { force: true })
  await writeFile(path, password, { mode: 0o400 })
}

/** The keyring's file. */
export function keyringOf({ state }: UnitPlace): string {
  return join(state, "keyrings/login.keyring")
}

/** The names of the keyrings that there are. */
export function keyringsIn({ state }: UnitPlace): readonly string[] {
  const directory = join(state, "keyrings")
  if (!existsSync(directory)) return []
  return readdirSync(directory).filter((name) => name.endsWith(".keyring"))
}

/** Every keyring with its bytes. */
export function filesOfKeyrings(place: UnitPlace): readonly (readonly [string, string])[] {
  return keyringsIn(place).map((name) => [
    name,
    readFileSync(join(place.state, "keyrings", name), "base64"),
  ])
}

function serveOf({ state }: UnitPlace): readonly string[] {
  return [process.execPath, bin, "serve", "--dir", state, "--port", "0"]
}

/** Starts a script of systemd/secret-service as systemd would: with the unit's directories, and a socket as descriptor 3. */
export function spawnIn(
  { state, runtime, credentials }: UnitPlace,
  [script = "", ...args]: readonly string[],
  environment: Readonly<Record<string, string>> = {},
) {
  const ofSession = ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"]
  const inherited = Object.entries(process.env).filter(([name]) => !ofSession.includes(name))
  const given = {
    STATE_DIRECTORY: state,
    RUNTIME_DIRECTORY: runtime,
    CREDENTIALS_DIRECTORY: credentials,
  }
  const child = spawn(join(folder, script), args, {
    stdio: ["pipe", "pipe", "pipe", "pipe"],
    env: { ...Object.fromEntries(inherited), ...given, ...environment },
  })
  child.stdin.on("error", () => undefined) // it may end without reading
  return child
}

export type Serving = {
  readonly url: string
  readonly pid: number
  /** Its exit code, `null` when a signal ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** Runs the daemon behind run.sh. @throws when it ends before it listens. */
export async function startServing(place: UnitPlace): Promise<Serving> {
  const child = spawnIn(place, ["run.sh", ...serveOf(place)])
  const ended = once(child, "exit").then(([code]) => code as number | null)
  const printed = { stdout: "", stderr: "" }
  for (const name of ["stdout", "stderr"] as const) {
    child[name].on("data", (chunk: Buffer) => (printed[name] += chunk.toString()))
  }
  child.once("close", () => keepPrinted(["serve"], printed))
  const url = await until(() => {
    if (child.exitCode !== null)
      throw new Error(`run.sh ended with ${child.exitCode}: ${printed.stderr}`)
    return /listening on (http:\S+)\n/.exec(printed.stdout)?.[1]
  }, "the daemon behind run.sh listens")
  return {
    url,
    pid: child.pid ?? 0,
    stop: (signal = "SIGTERM") => {
      child.kill(signal)
      return ended
    },
  }
}

/** Makes the keyring and returns what was said. */
export async function provision(place: UnitPlace): Promise<string> {
  const { code, stdout, stderr } = await runIn(place, ["provision.sh"])
  assert.equal(code, 0, stderr)
  return stdout
}

/** Runs a script to its end. It hasn't ended while anything that it started holds its standard error. */
async function runIn(
  place: UnitPlace,
  script: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const child = spawnIn(place, script, environment)
  const timer = setTimeout(() => child.kill("SIGKILL"), longestStartMs)
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit") as Promise<[number | null]>,
  ])
  clearTimeout(timer)
  keepPrinted(["serve"], { stdout, stderr })
  return { code, stdout, stderr }
}

export type Refused = {
  readonly script: readonly string[]
  readonly says: RegExp
  /** The unit isn't started again, unless this is 75. */
  readonly exitCode?: 75
}

/** A script ends with 78 or what is given, and one sentence of its own, and nothing that it started outlives it. */
export async function assertRefused(
  place: UnitPlace,
  { script, says, exitCode }: Refused,
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { code, stdout, stderr } = await runIn(place, script, environment)
  assert.equal(code, exitCode ?? 78, stderr)
  assert.equal(stdout, "")
  const own = stderr.split("\n").filter((line) => line.startsWith(`${script[0] ?? ""}: `))
  assert.equal(own.length, 1, stderr)
  assert.match(own[0] ?? "", says)
}
