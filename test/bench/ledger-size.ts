// What a start and a decision cost with 5 k and with 5 M entries, side by side. The ledgers are made once
// and stay in the temporary directory, with a .json beside them that says where; LEDGER_ENTRIES sets
// another large size. The large one takes about 3 GB and some minutes to make.

import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { access, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"

import type { Installation } from "../../src/vault/installation.ts"
import { pathsOf } from "../../src/vault/installation.ts"
import { migrations } from "../../src/vault/ledger/migrations.ts"
import { change } from "../support/a-snapshot.ts"
import { growLedger } from "../support/big-ledger.ts"
import type { SizeFigures } from "../support/ledger-size-probe.ts"
import { openTestVault } from "../support/open-test-vault.ts"

const run = promisify(execFile)
const probe = join(import.meta.dirname, "../support/ledger-size-probe.ts")
const sizes = [5_000, Number(process.env["LEDGER_ENTRIES"] ?? "5000000")] as const
const rounds = 3
const schema = createHash("sha256").update(migrations.join("\n")).digest("hex")

const policy = `policy: bench
rules: [{name: all, endpoints: [placeOrder, cancelOrder]}]
limits:
  - {name: orders, endpoints: [placeOrder], count: requests, window: 24h, max: 100000000, per: client, release: refused}
  - {name: hourly, sum: submitted_notional, window: 1h, max: "90000000000000", per: symbol}
  - {name: daily, sum: submitted_notional, window: 24h, max: "90000000000000", per: key}
  - {name: quick, endpoints: [placeOrder], count: requests, window: 10s, max: 100000000}
`

type Made = {
  /** By it is told whether the tables are still those of today. */
  readonly schema: string
  readonly installation: Installation
  readonly token: string
  readonly ids: readonly string[]
}

/** Prints each figure for both sizes and the ratio of the two. */
export async function bench(): Promise<void> {
  const [small, large] = [await cached(sizes[0]), await cached(sizes[1])]
  for (const { installation } of [small, large]) {
    change(pathsOf(installation).ledgerFile, "DELETE FROM meter_snapshots")
  }
  print("start that counts all", [await measure(small, "kill"), await measure(large, "kill")])
  print(`start after a crash, median of ${rounds}`, await inTurn(small, large, "kill"))
  await inTurn(small, large, "close")
  print(`start after a stop, median of ${rounds}`, await inTurn(small, large, "close"))
}

/** A B A B, so that what else the machine does falls on both. */
async function inTurn(
  small: Made,
  large: Made,
  mode: "close" | "kill",
): Promise<readonly [SizeFigures, SizeFigures]> {
  const figures: { readonly small: SizeFigures; readonly large: SizeFigures }[] = []
  for (let round = 0; round < rounds; round++) {
    figures.push({ small: await measure(small, mode), large: await measure(large, mode) })
  }
  return [medians(figures.map((each) => each.small)), medians(figures.map((each) => each.large))]
}

async function cached(entries: number): Promise<Made> {
  const note = join(tmpdir(), `countersign-bench-ledger-${entries}.json`)
  const made = await readFile(note, "utf8").then(
    (text) => JSON.parse(text) as Made, // written below
    () => undefined,
  )
  if (made?.schema === schema && (await isThere(made.installation.stateDir))) return made
  await rm(note, { force: true })
  if (made !== undefined)
    await rm(dirname(made.installation.stateDir), { recursive: true, force: true })
  const fresh = await make(entries)
  await writeFile(note, JSON.stringify(fresh))
  return fresh
}

async function make(entries: number): Promise<Made> {
  const test = await openTestVault({ policies: [policy], keys: "on_disk" })
  const { address } = await test.addKey({ name: "mm", role: "agent" })
  const token = await test.addClient({ name: "bot", keys: ["mm"] })
  await test.close()
  const { installation } = test
  const startMs = Date.now()
  const ids = growLedger(pathsOf(installation).ledgerFile, {
    ...{ client: "bot", key: "mm", signer: address, entries },
    endMs: startMs,
  })
  const seconds = ((Date.now() - startMs) / 1_000).toFixed(0)
  process.stdout.write(`  made ${entries.toLocaleString("en")} entries in ${seconds} s\n`)
  return { schema, installation, token, ids }
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/** In a process of its own, so that memory is of this ledger alone. */
async function measure(made: Made, mode: "close" | "kill"): Promise<SizeFigures> {
  const { configDir, stateDir } = made.installation
  const ids = made.ids.slice(0, 500)
  const args = ["--expose-gc", probe, configDir, stateDir, made.token, mode, ...ids]
  const { stdout } = await run(process.execPath, args).catch((error: unknown) => {
    const ended = error as { readonly signal?: string; readonly stdout: string } // of execFile
    if (mode === "kill" && ended.signal === "SIGKILL") return ended
    throw error
  })
  return JSON.parse(stdout) as SizeFigures
}

function medians(figures: readonly SizeFigures[]): SizeFigures {
  const [first] = figures
  if (first === undefined) throw new Error("nothing was measured")
  const names = Object.keys(first) as (keyof SizeFigures)[]
  const middle = (name: keyof SizeFigures) =>
    figures.map((each) => each[name]).sort((a, b) => a - b)[Math.floor(figures.length / 2)]
  return Object.fromEntries(names.map((name) => [name, middle(name)])) as SizeFigures
}

const rows: readonly (readonly [keyof SizeFigures, string])[] = [
  ["openMs", "open, ms"],
  ["rssMiB", "memory after it, MiB"],
  ["decideMs", "decide, ms"],
  ["signMs", "sign, ms"],
  ["signP99Ms", "sign p99, ms"],
  ["recordMs", "record by id, ms"],
  ["statusMs", "status, ms"],
]

function print(what: string, [small, large]: readonly [SizeFigures, SizeFigures]): void {
  const heads = [small, large].map(({ entries }) => entries.toLocaleString("en").padStart(12))
  process.stdout.write(`  ${what.padEnd(36)}${heads.join("")}       ratio\n`)
  for (const [name, label] of rows) {
    const values = [small[name], large[name]].map((value) => value.toFixed(3).padStart(12))
    const ratio = (large[name] / small[name]).toFixed(2).padStart(12)
    process.stdout.write(`    ${label.padEnd(34)}${values.join("")}${ratio}\n`)
  }
}
