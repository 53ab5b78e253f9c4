import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { setTimeout as after } from "node:timers/promises"
import { fileURLToPath } from "node:url"

import { pathsOf } from "../../src/vault/config/installation.ts"
import { bot, limitOrder } from "../support/bot.ts"
import { makeInstallation } from "../support/countersign.ts"
import { repositoryRoot } from "../support/markdown.ts"
import { until } from "../support/process-tree.ts"
import { addClient, makeTradingKeys, tradingPolicy, writePolicy } from "../support/trading-keys.ts"

const probe = fileURLToPath(new URL("coverage-probe.ts", import.meta.url))
const program = join(repositoryRoot, "src")

/**
 * The time between signatures: what trails one, as the tables that follow the journal, is done within it. A daemon that
 * signs at this pace isn't idle: its signers' marks are written ahead of need, and not at every signature.
 */
const paceMs = 200
/** The gate's, the vault's and the ledger's. */
const threads = 3
const rounds = 10

/**
 * The files of `src/` in which any function runs, in gate, vault and the ledger's thread, from when a steady daemon is
 * asked for a signature until it has answered. Sorted, from `src/` on. What timers and whatever is done now and then do
 * meanwhile is left out: only what ran at each of several signatures counts.
 */
export async function filesOfASignature(): Promise<readonly string[]> {
  const installation = await makeInstallation()
  const { dir } = installation
  await writePolicy(dir, tradingPolicy)
  await makeTradingKeys(dir)
  const token = await addClient(dir, "bot")
  const written = mkdtempSync(join(tmpdir(), "cs-coverage-"))
  const { botSocket } = pathsOf({ configDir: dir, stateDir: dir })
  const vault = await start("vault/main.ts", written, ["--config-dir", dir, "--state-dir", dir])
  const gate = await start("gate/main.ts", written, ["--port", "0", "--bot-socket", botSocket])
  const client = bot(`http://127.0.0.1:${gate.port}`, token)
  const sign = async (): Promise<void> => {
    const { status, text } = await client.post("/sign/v1/trade/orders", limitOrder())
    if (status !== 200) throw new Error(text)
  }
  /** What has run since the last time. */
  const take = async (): Promise<ReadonlySet<string>> => {
    for (const { child } of [gate, vault]) child.kill("SIGUSR2")
    const files = await until(() => filesIn(written), "coverage")
    for (const name of readdirSync(written)) rmSync(join(written, name))
    return files
  }
  try {
    for (let round = 0; round < 20; round++) await sign()
    const taken: ReadonlySet<string>[] = []
    for (let round = 0; round < rounds; round++) {
      await after(paceMs)
      await take()
      await sign()
      taken.push(await take())
    }
    return taken
      .reduce((common, each) => common.intersection(each))
      .values()
      .toArray()
      .sort()
  } finally {
    await Promise.all([gate, vault].map(stop))
    rmSync(written, { recursive: true })
    await installation.remove()
  }
}

type Started = { readonly child: ChildProcess; readonly port: number }

/** Without permission flags, which would keep the probe from writing. */
async function start(entry: string, written: string, args: readonly string[]): Promise<Started> {
  const child = spawn(process.execPath, ["--import", probe, join(program, entry), ...args], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    env: { ...process.env, NODE_V8_COVERAGE: written },
  })
  const [message] = (await once(child, "message")) as [{ type: string; port?: number }]
  if (message.type !== "ready") throw new Error(`${entry}: ${JSON.stringify(message)}`)
  return { child, port: message.port ?? 0 }
}

async function stop({ child }: Started): Promise<void> {
  child.kill("SIGTERM")
  await once(child, "exit")
}

/** As V8 tells it: a function with a count has run since coverage was taken last. */
type Coverage = {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[]
  }[]
}

/** `undefined` until every thread has written all of its own. */
function filesIn(directory: string): ReadonlySet<string> | undefined {
  const coverages = readdirSync(directory).map((name) => readCoverage(join(directory, name)))
  const whole = coverages.filter((each) => each !== undefined)
  if (whole.length < threads) return undefined
  const files = whole
    .flatMap(({ result }) => result)
    .filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
    .filter(({ url }) => url.startsWith("file:"))
    .map(({ url }) => relative(program, fileURLToPath(url)))
    .filter((file) => !file.startsWith(".."))
  return new Set(files)
}

/** `undefined` while it is being written. */
function readCoverage(file: string): Coverage | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Coverage // V8's own form
  } catch {
    return undefined
  }
}
