import type { Address } from "../../../src/venue/address.ts"
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { access, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"

import { type Installation, pathsOf } from "../../../src/vault/config/installation.ts"
import { schema as tables } from "../../../src/vault/ledger/sqlite/schema.ts"
import { change } from "../../support/a-snapshot.ts"
import { growLedger } from "../../support/big-ledger.ts"
import type { SizeFigures } from "../../support/ledger-size-probe.ts"
import { openTestVault } from "../../support/open-test-vault.ts"
import type { Case, Figures } from "../case.ts"

const run = promisify(execFile)
const probe = join(import.meta.dirname, "../../support/ledger-size-probe.ts")
const smallEntries = 5_000
const schema = createHash("sha256").update(tables).digest("hex")

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

/** How the daemon ended before the start that is measured. */
const endings = [
  { name: "ledger-recount", mode: "kill", what: "that counts all anew", isRecounted: true },
  { name: "ledger-crash", mode: "kill", what: "after a crash", isRecounted: false },
  { name: "ledger-stop", mode: "close", what: "after a stop", isRecounted: false },
] as const

/**
 * What a start and a decision cost in process with a small and with a large ledger. The ledgers are made once and
 * stay in the temporary directory, with a .json beside them that says where; 5 M entries take about 3 GB and minutes.
 */
export const ledgerSizes: readonly Case[] = endings.map((ending) => ({
  name: ending.name,
  what: `a start ${ending.what}, and what follows it, by how many records the ledger has; --records says how many`,
  isOnDemand: true,
  async open({ records }) {
    const ledgers = [await cached(smallEntries), await cached(records)]
    // Once unmeasured: the ending before it was another.
    if (!ending.isRecounted) for (const made of ledgers) await measure(made, ending.mode)
    return {
      subjects: ledgers.map((made, index) => ({
        name: `${[smallEntries, records][index]?.toLocaleString("en")} entries`,
        async measure(): Promise<Figures> {
          const { ledgerFile } = pathsOf(made.installation)
          if (ending.isRecounted) change(ledgerFile, "DELETE FROM meter_snapshots")
          return figuresOf(await measure(made, ending.mode))
        },
      })),
      close: () => Promise.resolve(),
    }
  },
}))

function figuresOf(found: SizeFigures): Figures {
  return {
    "open ms": found.openMs,
    "memory MiB": found.rssMiB,
    "decide ms": found.decideMs,
    "sign ms": found.signMs,
    "sign p99 ms": found.signP99Ms,
    "record ms": found.recordMs,
    "status ms": found.statusMs,
  }
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
    await rm(dirname(made.installation.stateDir), { recursive: true, force: true, maxRetries: 10 })
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
    ...{ client: "bot", key: "mm", signer: address as Address, entries },
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
