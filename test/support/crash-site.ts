import { spawn, type ChildProcess } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { appendFileSync } from "node:fs"
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

import { vaultFlags } from "../../src/commands/daemon/process-flags.ts"
import { keepFiles, registerSecret } from "./canaries.ts"
import { budgetsOff, countersignProcess, withBudgets } from "./countersign.ts"
import type { CrashOrder } from "./crash-at.ts"
import { mainOf, node, packageTested } from "./published.ts"
import { writePolicy } from "./trading-keys.ts"

/** An installation whose vault is killed again and again. */
export type CrashSite = {
  /** Its configuration and its state. */
  readonly dir: string
  readonly ledgerFile: string
  readonly botSocket: string
  /** The tokens of two clients; each may use two keys of its own and one that both may use. */
  readonly tokens: readonly string[]
  /** Addresses of the keys. */
  readonly signers: readonly string[]
  /** The symbols that have a cap each. */
  readonly symbolIds: readonly number[]
  /** Starts the real vault as its supervisor does, with crash-at.ts in it and its clock set back by so much. */
  startVault(backMs?: number): CrashVault
  /** Writes into countersign.yaml where the ledger is from now on, and which budgets are kept, while no vault runs. */
  setLedger(settings: string, budgets?: string): Promise<void>
  /** Another host with the same keys, clients, policies and ledger, and no ledger.key; no vault may run. */
  copy(): Promise<CrashSite>
  remove(): Promise<void>
}

/** Where the ledger of a site is besides its own file. */
export type LedgerElsewhere = {
  /** What countersign.yaml says of it. */
  readonly settings: string
  /** Moves the ledger of a site there, while no vault runs. */
  move(site: { readonly dir: string; readonly ledgerFile: string }): Promise<void>
}

export type CrashVault = {
  readonly pid: number
  /** `ready`, or how it ended before. */
  readonly started: Promise<"ready" | "ended">
  /** The signal that ended it, or its exit code. */
  readonly ended: Promise<string | number>
  crashAt(order: Omit<CrashOrder, "pid">): void
  kill(signal?: NodeJS.Signals): void
  stderr(): string
}

/** Of every capped symbol: no more requests than this, and no more notional. */
export const cap = { requests: 120, notional: 6_000 } as const

/** The key that both clients may use, which has half of all requests, and each client's own. */
export const sharedKey = "shared"
export const ownKeys = { one: ["one", "one-more"], two: ["two", "two-more"] } as const

/** What an order for one of a capped symbol costs. */
export const unitPrice = 10

/** Where it is noon, so that no day ends within a run. */
const eastOfUtc = 12 - new Date().getUTCHours()
const zone = `Etc/GMT${eastOfUtc > 0 ? "-" : "+"}${Math.abs(eastOfUtc)}`

// The windows are longer than any run, so the caps hold over all of one.
const policy = `policy: crash
rules:
  - name: all
    endpoints: [placeOrder, cancelOrder]
limits:
  - {name: notional, sum: submitted_notional, window: 7d, max: "${cap.notional}", per: symbol}
  - {name: requests, endpoints: [placeOrder], count: requests, window: day, zone: ${zone}, max: "${cap.requests}", per: symbol}
`

const credential = "crash"
const firstSymbolId = 1_001

/** The file to be preloaded, as `--import` takes it. */
export const crashAtUrl = new URL("./crash-at.ts", import.meta.url).href

/** Makes an installation whose keystore a random credential opens, so that a start costs little. */
export async function makeCrashSite(
  symbols: number,
  elsewhere?: LedgerElsewhere,
): Promise<CrashSite> {
  const place = placeIn(await mkdtemp(join(tmpdir(), "cs-crash-")))
  const { dir, credentialFile } = place
  const secret = randomBytes(32).toString("base64")
  registerSecret("a credential", secret)
  await mkdir(dirname(credentialFile), { mode: 0o700 })
  await mkdir(place.compileCache)
  await writeFile(credentialFile, secret, { mode: 0o600 })
  const backend = ["--backend", "keystore", "--credential", credential]
  await run(place, ["init", "--venue", "sandbox", ...backend, "--passphrase-file", credentialFile])
  const symbolIds = Array.from({ length: symbols }, (_, index) => firstSymbolId + index)
  appendFileSync(join(dir, "venue.yaml"), symbolIds.map(symbolText).join(""))
  appendFileSync(join(dir, "countersign.yaml"), `${ownLedger}${budgetsOff}`)
  await writePolicy(dir, policy, "crash.yaml")
  const site = siteAt(place, { ...(await makeBots(place)), symbolIds })
  if (elsewhere === undefined) return site
  await elsewhere.move(site)
  await site.setLedger(elsewhere.settings)
  return site
}

/** No spare for a full disk: it would be written anew at every site. */
const ownLedger = "ledger: {min_free: 0}\n"

function siteAt(
  place: Place,
  known: Pick<CrashSite, "tokens" | "signers" | "symbolIds">,
): CrashSite {
  const { home, dir } = place
  return {
    ...known,
    dir,
    ledgerFile: join(dir, "ledger.db"),
    botSocket: join(dir, "bot.sock"),
    startVault: (backMs = 0) => startVault(place, backMs),
    async setLedger(settings, budgets = budgetsOff) {
      const file = join(dir, "countersign.yaml")
      await writeFile(file, (await readFile(file, "utf8")).replace(ownLedger, settings))
      await withBudgets(dir, budgets)
    },
    copy: async () => siteAt(await copyPlace(place), known),
    async remove() {
      keepFiles(dir)
      await rm(home, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

/** Without what a host has for itself: its ledger.key, and its signers' locks and marks. */
async function copyPlace(place: Place): Promise<Place> {
  const { compileCache } = place
  const copy = { ...placeIn(await mkdtemp(join(tmpdir(), "cs-crash-"))), compileCache }
  await cp(place.dir, copy.dir, { recursive: true })
  await cp(dirname(place.credentialFile), dirname(copy.credentialFile), { recursive: true })
  await mkdir(copy.signerDir, { mode: 0o700 }) // flags grant it where it is there
  await rm(join(copy.dir, "ledger.key"))
  return copy
}

type Place = {
  readonly home: string
  readonly dir: string
  readonly credentialFile: string
  readonly signerDir: string
  readonly compileCache: string
}

function placeIn(home: string): Place {
  return {
    home,
    dir: join(home, "d"),
    credentialFile: join(home, "credentials", credential),
    /** The usual one, as seen from `home`. */
    signerDir: join(home, "signers-of-countersign"),
    /** A start costs a third less with what an earlier one compiled. */
    compileCache: join(home, "compile-cache"),
  }
}

function environmentOf({ home, credentialFile, compileCache }: Place) {
  return {
    CREDENTIALS_DIRECTORY: dirname(credentialFile),
    XDG_STATE_HOME: home,
    NODE_COMPILE_CACHE: compileCache,
  }
}

function symbolText(id: number): string {
  const asOf = new Date(Date.now() - 3_600_000).toISOString()
  const price = `{value: "${unitPrice}", as_of: ${asOf}, max_age: 30d}`
  return `  - {id: ${id}, name: S${id}-PERP, market: perp, quote: USD, reference_price: ${price}}\n`
}

async function makeBots(place: Place): Promise<Pick<CrashSite, "tokens" | "signers">> {
  const signers: string[] = []
  for (const name of [sharedKey, ...Object.values(ownKeys).flat()]) {
    const key = await run(place, ["keys", "generate", "--name", name, "--role", "agent"])
    signers.push((key as { readonly address: string }).address)
  }
  const tokens: string[] = []
  for (const [name, own] of Object.entries(ownKeys)) {
    const keys = [sharedKey, ...own].join(",")
    const client = await run(place, ["clients", "add", name, "--keys", keys])
    tokens.push((client as { readonly token: string }).token)
  }
  return { tokens, signers }
}

/** Runs a command in the installation and reads what it printed as JSON. */
async function run(place: Place, words: readonly string[]): Promise<unknown> {
  const args = [...words, "--dir", place.dir, "--json"]
  const environment = environmentOf(place)
  const { code, stdout, stderr } = await countersignProcess(args, "", { environment })
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${stdout}${stderr}`)
  return JSON.parse(stdout)
}

function startVault(place: Place, backMs: number): CrashVault {
  const { dir, credentialFile, signerDir, compileCache } = place
  const secret = { passphraseFile: credentialFile, usesKeychain: false, signerDir }
  const flags = [
    ...vaultFlags({ configDir: dir, stateDir: dir }, secret),
    ...[`--allow-fs-read=${packageTested}`, `--allow-fs-read=${compileCache}`],
    `--allow-fs-write=${compileCache}`,
    ...["--import", crashAtUrl],
  ]
  const args = [...flags, mainOf("vault"), "--config-dir", dir, "--state-dir", dir]
  const child = spawn(node, args, {
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    env: { ...environmentOf(place), CRASH_CLOCK_BACK_MS: String(backMs) },
  })
  const pid = child.pid ?? 0
  let text = ""
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (text += chunk))
  const ended = once(child, "exit").then(([code, signal]) => (signal ?? code) as string | number)
  const started = Promise.race([untilReady(child), ended.then(() => "ended" as const)])
  started.catch(() => undefined) // whoever waits for it hears of it
  return {
    pid,
    started,
    ended,
    crashAt: (order) => child.send({ ...order, pid }),
    kill: (signal = "SIGKILL") => child.kill(signal),
    stderr: () => text,
  }
}

async function untilReady(child: ChildProcess): Promise<"ready"> {
  const [{ type, code, message }] = (await once(child, "message")) as [
    { readonly type: string; readonly code?: string; readonly message?: string },
  ]
  if (type === "ready") return "ready"
  throw new Error(`the vault couldn't start: ${code}: ${message}`)
}
