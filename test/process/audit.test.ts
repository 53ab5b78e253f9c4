import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { once } from "node:events"
import { mkdir, readFile, readdir, stat, writeFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { after, before, describe, it } from "node:test"
import { setTimeout as sleep } from "node:timers/promises"

import { verdictOf } from "../support/audit-ledger.ts"
import { growLedger } from "../support/big-ledger.ts"
import { bot, limitOrder } from "../support/bot.ts"
import {
  countersign,
  countersignJson,
  makeInstallation,
  serve,
  startCountersign,
  type Served,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { bin } from "../support/published.ts"
import { signer } from "../support/ledger-ask.ts"
import { killAllNaming, until } from "../support/process-tree.ts"
import { query } from "../support/read-ledger.ts"
import { numRuns } from "../support/runs.ts"
import { addClient, makeTradingKeys, tradingPolicy, writePolicy } from "../support/trading-keys.ts"

const dayMs = 86_400_000

type Line = { readonly hash: string; readonly row: Readonly<Record<string, unknown>> }

function linesOf(stdout: string): readonly Line[] {
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line)
}

describe("the audit commands", { timeout: 180_000 }, () => {
  let installation: TemporaryInstallation
  let daemon: Served
  let record: string
  before(async () => {
    installation = await makeInstallation()
    await writePolicy(installation.dir, tradingPolicy)
    const options = ["--passphrase-file", installation.passphraseFile]
    daemon = await serve(installation.dir, options)
    await makeTradingKeys(installation.dir)
    const client = bot(daemon.url, await addClient(installation.dir, "bot"))
    const signed = await client.post("/sign/v1/trade/orders", limitOrder())
    record = signed.headers.get("countersign-record") ?? ""
    await client.post("/sign/v1/trade/orders", limitOrder({ quantity: "=1+1" }))
  })
  after(async () => {
    await daemon.stop("SIGKILL")
    await killAllNaming(installation.dir)
    await installation.remove()
  })
  const at = (...words: readonly string[]) => ["audit", ...words, "--dir", installation.dir]

  for (const state of ["running", "stopped"] as const) {
    describe(`with the daemon ${state}`, () => {
      before(async () => {
        if (state === "stopped") assert.equal(await daemon.stop(), 0)
      })

      it("tail shows the last entries for people, and one JSON object a line for scripts", async () => {
        const human = await countersign(at("tail", "-n", "3"))
        assert.equal(human.code, 0, human.stderr)
        assert.equal(human.stdout.trim().split("\n").length, 3)
        assert.match(human.stdout, /^\d{4}-\S+Z {2}#\d+ +\w+/)
        const json = await countersign(at("tail", "--client", "bot", "--kind", "request", "--json"))
        const [line] = linesOf(json.stdout)
        assert.equal(line?.row["id"], record)
        assert.match(line.hash, /^[0-9a-f]{64}$/)
      })

      it("show shows a record in full by its id and by its number", async () => {
        const found = await countersignJson<{ entry: Line; others: readonly Line[] }>(
          at("show", record),
        )
        assert.equal(found.entry.row["kind"], "request")
        const bySeq = await countersign(at("show", String(found.entry.row["seq"])))
        assert.match(bySeq.stdout, new RegExp(`"id": "${record}"`))
        const unknown = await countersign(at("show", "rec_01KSR492Z8W9TC0Y2Q3RC6TV01"))
        assert.equal(unknown.code, 1)
        assert.match(unknown.stderr, /no request, refusal or hold with this id/)
      })

      it("find finds a record by what it is called, one thing at a time", async () => {
        const shown = await countersignJson<{ entry: Line }>(at("show", record))
        const nonce = String(shown.entry.row["nonce"])
        const human = await countersign(at("find", "--nonce", nonce))
        assert.match(human.stdout, new RegExp(`^\\S+ {2}#\\d+ +request .*${record}\n$`))
        const [found] = await countersignJson<readonly { entry: Line }[]>(
          at("find", "--nonce", nonce),
        )
        assert.deepEqual(found?.entry, shown.entry)
        const none = await countersign(at("find", "--order-id", "7001"))
        assert.deepEqual([none.code, none.stdout], [1, ""])
        assert.equal((await countersign(at("find"))).code, 2)
        assert.equal((await countersign(at("find", "--nonce", nonce, "--hash", "00"))).code, 2)
      })

      it("tail shows all since a time, by the rule that decided", async () => {
        const { entry } = await countersignJson<{ entry: Line }>(at("show", record))
        const chosen = (rule: string) => at("tail", "--since", "1d", "--rule", rule, "--json")
        const [line] = linesOf((await countersign(chosen(String(entry.row["rule"])))).stdout)
        assert.equal(line?.row["id"], record)
        assert.equal((await countersign(chosen("nobody/nothing"))).stdout, "")
      })

      it("verify finds it whole, and keeps a checkpoint that it compares with later", async () => {
        const file = join(installation.home, `${state}.json`)
        const human = await countersign(at("verify", "--checkpoint", file))
        assert.equal(human.code, 0, human.stderr)
        assert.match(human.stdout, /^The ledger is whole: \d+ entries from 1 on, \d+ a second\.$/m)
        assert.equal((await stat(file)).mode & 0o777, 0o600)
        const json = await countersignJson<{ whole: boolean; head: { seq: number } }>(
          at("verify", "--against", file),
        )
        assert.equal(json.whole, true)
        const again = await countersign(at("verify", "--checkpoint", file))
        assert.equal(again.code, 1, "it is never overwritten")
      })

      it("export writes a new file of mode 0600, whole or since a time, and never over another", async () => {
        const file = join(installation.home, `${state}.csv`)
        const done = await countersignJson<{ entries: number }>(
          at("export", "--format", "csv", "--since", "1d", "--to", file),
        )
        assert.equal((await stat(file)).mode & 0o777, 0o600)
        const csv = await readFile(file, "utf8")
        assert.match(csv, /^seq,at,kind,id,client,/)
        assert.ok(done.entries > 4)
        const again = await countersign(at("export", "--format", "csv", "--to", file))
        assert.equal(again.code, 1)
        assert.equal(await readFile(file, "utf8"), csv)

        const piped = await countersign(at("export"))
        assert.equal(linesOf(piped.stdout)[0]?.row["seq"], 1)
        const none = await countersign(at("export", "--since", "2999-01-01"))
        assert.deepEqual([none.code, none.stdout], [0, ""])
        assert.equal((await countersign(at("export", "--since", "soon"))).code, 2)
      })

      it("archive moves nothing that is young", async () => {
        const to = join(installation.home, "archives")
        const { code, stdout } = await countersign(at("archive", "--before", "1ms", "--to", to))
        assert.equal(code, 0)
        assert.match(stdout, /^Nothing was archived\.\nEntry 1 and what follows stay/)
      })
    })
  }
})

describe("audit tail --follow", { timeout: 120_000 }, () => {
  let installation: TemporaryInstallation
  before(async () => {
    installation = await makeInstallation()
    await writePolicy(installation.dir, tradingPolicy)
  })
  after(async () => {
    await killAllNaming(installation.dir)
    await installation.remove()
  })

  it("goes on over a restart of the daemon, says so, and ends on Ctrl-C with 0", async () => {
    const options = ["--passphrase-file", installation.passphraseFile]
    const first = await serve(installation.dir, options)
    const follow = ["audit", "tail", "--follow", "--dir", installation.dir]
    const tail = await startCountersign(follow, /started/)
    await first.stop()
    await untilSaid(/the daemon doesn't run; waiting/, () => tail.stderr())
    const second = await serve(installation.dir, options)
    await untilSaid(/the daemon runs again/, () => tail.stderr())
    await makeTradingKeys(installation.dir)
    await untilSaid(/key_added/, () => tail.stdout())
    const numbers = [...tail.stdout().matchAll(/ #(\d+) /g)].map(([, seq]) => Number(seq))
    assert.deepEqual(
      numbers,
      numbers.map((_, index) => index + 1),
      "each entry once, in order",
    )
    assert.equal(await tail.stop("SIGINT"), 0)
    await second.stop()
  })
})

describe("audit archive", { timeout: 180_000 }, () => {
  const old = 6_000
  let installation: TemporaryInstallation
  let ledger: string
  before(async () => {
    installation = await makeInstallation()
    ledger = join(installation.dir, "ledger.db")
    assert.equal((await countersign(["keys", "list", "--dir", installation.dir])).code, 0)
    const endMs = Date.now() - 31 * dayMs
    growLedger(ledger, { client: "mm-bot", key: "mm-agent", signer, entries: old, endMs })
  })
  after(async () => {
    await killAllNaming(installation.dir)
    await installation.remove()
  })
  const at = (...words: readonly string[]) => ["audit", ...words, "--dir", installation.dir]

  /** Those that the ledger's acts name, wherever they were written. */
  async function namedArchives(): Promise<readonly string[]> {
    const files = await readdir(installation.home, { recursive: true })
    return query(ledger, "SELECT file FROM archives ORDER BY seq").map(({ file }) => {
      const found = files.filter((path) => basename(path) === file)
      assert.equal(found.length, 1, `${String(file)} is there once`)
      return join(installation.home, found[0] ?? "")
    })
  }

  async function assertNothingLost(): Promise<void> {
    // As the ledger is opened after a crash: by the next command.
    assert.equal((await countersign(["keys", "list", "--dir", installation.dir])).code, 0)
    const verdict = await verdictOf(ledger, { archives: await namedArchives() })
    assert.equal(verdict.flaw, undefined)
    assert.equal(verdict.firstSeq, 1)
    assert.ok(verdict.entries >= old)
  }

  it("loses nothing when it is killed while it writes, names, records or removes", async (t) => {
    const stages = [".new-archive-", ".jsonl.gz", ".sha256", "removing"] as const
    const interrupted = new Set<string>()
    const { numRuns: runs } = numRuns(4)
    for (let run = 0; run < runs; run++) {
      const stage = stages[run % stages.length]!
      const directory = join(installation.home, `killed-${run}`) // nothing of an earlier run is in it
      await mkdir(directory, { mode: 0o700 })
      const hours = 34 * 24 - Math.floor(((run + 1) * 60) / runs)
      const args = at("archive", "--before", `${hours}h`, "--to", directory)
      const child = spawn(process.execPath, [bin, ...args], { stdio: "ignore" })
      const ended = once(child, "exit")
      const awaited = stage === "removing" ? ".sha256" : stage
      while (child.exitCode === null) {
        if ((await readdir(directory)).some((name) => name.includes(awaited))) break
        await sleep(1)
      }
      // The act and the removal leave no trace in the directory: anywhere in the time that they take.
      if (stage === "removing") await sleep(randomInt(60))
      child.kill("SIGKILL")
      await ended
      if (child.signalCode === "SIGKILL") interrupted.add(stage)
      t.diagnostic(`${stage}: ${child.signalCode ?? "ended"}, ${removalOf(ledger)}`)
      await assertNothingLost()
    }
    assert.ok(interrupted.has(".new-archive-"), "one was killed while it wrote")
  })

  it("joins a ledger whose daemon runs, which verify goes through with it", async () => {
    const options = ["--passphrase-file", installation.passphraseFile]
    await allowArchiving(installation.dir, "off")
    const daemon = await serve(installation.dir, options)
    const to = join(installation.home, "joined")
    const done = await countersignJson<{ archive: { entries: number; last_seq: number } | null }>(
      at("archive", "--before", "30d", "--to", to),
    )
    assert.ok(done.archive !== null)
    assert.equal((await countersign(at("verify"))).code, 0)
    await daemon.stop()
    await assertNothingLost()
  })
})

describe("a daemon whose ledger is older than 30 days", { timeout: 120_000 }, () => {
  it("archives it by itself, under Node's permission model", async () => {
    const installation = await makeInstallation()
    try {
      assert.equal((await countersign(["keys", "list", "--dir", installation.dir])).code, 0)
      const ledger = join(installation.dir, "ledger.db")
      const endMs = Date.now() - 31 * dayMs
      growLedger(ledger, { client: "mm-bot", key: "mm-agent", signer, entries: 500, endMs })
      const options = ["--passphrase-file", installation.passphraseFile]
      const daemon = await serve(installation.dir, options)
      const directory = join(installation.dir, "archive")
      await untilSaid(/"event":"archived"/, () => daemon.stderr())
      await daemon.stop()
      const [file = ""] = (await readdir(directory)).filter((name) => name.endsWith(".gz"))
      const verdict = await verdictOf(ledger, { archives: [join(directory, file)] })
      assert.deepEqual([verdict.flaw, verdict.firstSeq], [undefined, 1])
      assert.ok(verdict.entries > 500)
    } finally {
      await killAllNaming(installation.dir)
      await installation.remove()
    }
  })
})

/** How far the removal of archived entries had come, as the ledger lies on the disk. */
function removalOf(ledger: string): string {
  const [row] = query(
    ledger,
    `SELECT (SELECT count(*) FROM archives) AS archives, (SELECT count(*) FROM entries
     WHERE seq <= (SELECT max(last_seq) FROM archives)) AS left_over`,
  )
  return `${String(row?.["archives"])} recorded, ${String(row?.["left_over"])} entries still to be removed`
}

async function untilSaid(words: RegExp, said: () => string): Promise<void> {
  await until(() => (words.test(said()) ? true : undefined), `it says ${words.source}`)
}

async function allowArchiving(dir: string, setting: string): Promise<void> {
  const file = join(dir, "countersign.yaml")
  const kept = (await readFile(file, "utf8")).replace(/^archive: .*\n/m, "")
  await writeFile(file, `${kept}archive: ${setting}\n`, { mode: 0o600 })
}
