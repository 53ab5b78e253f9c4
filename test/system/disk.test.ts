import assert from "node:assert/strict"
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import { setTimeout as pause } from "node:timers/promises"

import { bot, limitOrder, type Bot } from "../support/bot.ts"
import {
  countersign,
  countersignProcess,
  makeInstallation,
  serve,
  type Served,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { childRunning, killAllNaming, until } from "../support/process-tree.ts"
import { query, readLedger } from "../support/read-ledger.ts"
import { mountSmallDisk, needsMount, type SmallDisk } from "../support/small-disk.ts"
import { addClient, makeTradingKeys, tradingPolicy, writePolicy } from "../support/trading-keys.ts"

const vaultEntry = "vault/main"
/** More than the ledger and its log take here. */
const diskMiB = 12

describe("disk trouble", { timeout: 120_000, ...needsMount() }, () => {
  let installation: TemporaryInstallation
  let ledgerFile: string
  let token: string
  let disk: SmallDisk | undefined
  let daemon: Served | undefined
  let client: Bot
  /** Of everything that was answered with 200. */
  const signed: number[] = []

  const smallDisk = (): SmallDisk => disk ?? assert.fail("no disk is mounted")
  const served = (): Served => daemon ?? assert.fail("no daemon runs")
  const at = (...args: readonly string[]) => [...args, "--dir", installation.dir]
  const byPassphrase = () => ["--passphrase-file", installation.passphraseFile]

  async function start(): Promise<void> {
    daemon = await serve(installation.dir, byPassphrase())
    client = bot(daemon.url, token)
  }
  async function sign() {
    const answer = await client.post("/sign/v1/trade/orders", limitOrder())
    if (answer.status === 200) signed.push(answer.json["nonce"] as number)
    return answer
  }
  /** Nothing but 200 and 503 may come meanwhile. */
  async function untilSigned(): Promise<void> {
    await until(async () => {
      const { status } = await sign()
      assert.ok(status === 200 || status === 503, `answered ${status}`)
      return status === 200 ? true : undefined
    }, "it signs again")
  }
  const restartFailed = () => served().stderr().split('"restart_failed"').length - 1
  const untilRestartFailed = (times: number) =>
    until(() => (restartFailed() === times ? true : undefined), "a restart fails")
  /** Nothing starts another vault. */
  async function crashAsItSigns(): Promise<void> {
    await start()
    await untilSigned()
    const vault = await childRunning(served().pid, vaultEntry)
    process.kill(served().pid, "SIGSTOP")
    for (let each = 0; each < 50; each++) await sign()
    process.kill(vault.pid, "SIGKILL")
    await killAllNaming(installation.dir)
  }
  async function assertUnavailable(): Promise<void> {
    const { status, json } = await sign()
    assert.deepEqual([status, json.code], [503, "vault_unavailable"])
  }
  /** Nothing signed lacks its record, and no nonce was given out twice. */
  function assertAllRecorded(): void {
    const recorded = new Set(readLedger(ledgerFile).map(({ row }) => row["nonce"]))
    assert.deepEqual(
      signed.filter((nonce) => !recorded.has(nonce)),
      [],
    )
    assert.equal(new Set(signed).size, signed.length)
  }
  /** While the ledger's file holds these bytes. */
  async function holding(bytes: Uint8Array, look: () => Promise<void>): Promise<void> {
    const whole = readFileSync(ledgerFile)
    try {
      writeFileSync(ledgerFile, bytes)
      await look()
    } finally {
      writeFileSync(ledgerFile, whole)
    }
  }
  /** That `serve` ends with 4 and one sentence that has `words`. */
  async function assertRefused(words: RegExp): Promise<void> {
    const args = at("serve", "--port", "0", ...byPassphrase())
    const { code, stdout, stderr } = await countersignProcess(args)
    assert.equal(code, 4, stderr)
    assert.equal(stdout, "")
    assert.match(stderr, words)
    assert.ok(stderr.includes(ledgerFile), stderr)
    assert.equal(stderr.trimEnd().split("\n").length, 1, stderr)
  }

  before(async () => {
    installation = await makeInstallation()
    ledgerFile = join(installation.dir, "ledger.db")
    await writePolicy(installation.dir, tradingPolicy)
    await makeTradingKeys(installation.dir)
    token = await addClient(installation.dir, "bot")
    disk = mountSmallDisk(installation.dir, diskMiB)
    await start()
  })
  after(async () => {
    await daemon?.stop("SIGKILL")
    await killAllNaming(installation.dir)
    disk?.unmount()
    await installation.remove()
  })

  it("answers 503 while the disk is full, and signs again by itself once there is space", async () => {
    await untilSigned()
    // A vault that starts on a full disk signs for as long as the ledger's file has room left in it.
    const load = Array.from({ length: 4 }, async () => {
      while (restartFailed() === 0) {
        const { status, json } = await sign()
        if (status === 200) continue
        assert.equal(status, 503)
        assert.match(json.code, /^(ledger|vault)_unavailable$/)
        await pause(50)
      }
    })
    smallDisk().fill()
    await Promise.all(load)
    await untilRestartFailed(1)
    assert.match(served().stderr(), /"ledger_broken".*The disk is full under the ledger/)
    await assertUnavailable()

    smallDisk().free()
    await untilSigned()
    assert.equal(restartFailed(), 1)
    assert.equal(await served().stop(), 0)
    assertAllRecorded()
  })

  it("has audit verify, which writes nothing, find all whole on a full disk, after a crash", async () => {
    // The tables have what the journal has 50 ms later: a busy machine may let them.
    do await crashAsItSigns()
    while (!tablesTrail(ledgerFile))
    smallDisk().fill()
    try {
      for (const json of [[], ["--json"]]) {
        const { code, stdout, stderr } = await countersign(at("audit", "verify", ...json))
        assert.equal(code, 0, stdout + stderr)
        assert.match(stdout, /The ledger is whole|"whole":true/)
      }
      const { stdout } = await countersign(at("doctor"))
      assert.doesNotMatch(stdout, /restore/)
    } finally {
      smallDisk().free()
    }
    assert.equal((await countersign(at("audit", "verify"))).code, 0)
    assertAllRecorded()
  })

  it("answers 503 while the disk is mounted read-only, and signs again once it isn't", async () => {
    await start()
    await untilSigned()
    // Linux remounts nothing read-only that is open for writing, so it happens between vault and vault.
    const vault = await childRunning(served().pid, vaultEntry)
    process.kill(served().pid, "SIGSTOP")
    process.kill(vault.pid, "SIGKILL")
    try {
      await until(() => remounted(smallDisk()), "nobody writes")
    } finally {
      process.kill(served().pid, "SIGCONT")
    }
    await untilRestartFailed(1)
    await assertUnavailable()

    smallDisk().remount("rw")
    await untilSigned()
    assert.equal(await served().stop(), 0)
    assertAllRecorded()
  })

  it("refuses to start on a ledger whose header, page or end is damaged, and says the way out", async () => {
    const whole = readFileSync(ledgerFile)
    const restore = /restore it from a backup, as docs\/operations\/backups\.md says\.$/m
    const damaged = [
      flipped(whole, 0),
      flipped(whole, rootPageOffset(ledgerFile, whole)),
      whole.subarray(0, Math.floor(whole.length / 2)),
    ]
    for (const bytes of damaged) await holding(bytes, () => assertRefused(restore))
    assertAllRecorded()
  })

  it("has audit verify name the entry in which a byte was changed", async () => {
    const whole = readFileSync(ledgerFile)
    const entry = readLedger(ledgerFile).find(({ kind }) => kind === "request")
    assert.ok(entry)
    const id = whole.indexOf(`"id":"${entry.id}"`)
    assert.ok(id > 0)
    await holding(flipped(whole, id + `"id":"`.length), async () => {
      const { code, stdout, stderr } = await countersign(at("audit", "verify"))
      assert.equal(code, 1)
      assert.match(stdout + stderr, new RegExp(`\\bentry ${entry.seq}\\b`, "i"))
    })
    assert.equal((await countersign(at("audit", "verify"))).code, 0)
  })

  it("notices that the log was deleted after a crash, and signs nothing until that is accepted", async () => {
    await start()
    await untilSigned()
    // All at once: a vault whose parent has gone closes its ledger, and then there is no log.
    await killAllNaming(installation.dir)
    rmSync(`${ledgerFile}-wal`)

    await start()
    assert.match(served().stderr(), /countersign ledger accept-restore/)
    const { status, json } = await sign()
    assert.deepEqual([status, json.code], [503, "restore_unaccepted"])
    const highest = Math.max(...signed)
    assert.equal((await countersign(at("ledger", "accept-restore"))).code, 0)
    await untilSigned()
    assert.ok((signed.at(-1) ?? 0) > highest)
    assert.equal(await served().stop(), 0)
  })
})

/** `undefined` as long as somebody writes there. */
function remounted(disk: SmallDisk): true | undefined {
  try {
    disk.remount("ro")
    return true
  } catch {
    return undefined
  }
}

/** Whether the tables lack what the journal of a vault that was killed has. What is looked at is a copy: to read is to recover. */
function tablesTrail(ledgerFile: string): boolean {
  const aside = mkdtempSync(join(tmpdir(), "cs-aside-"))
  try {
    const copy = join(aside, "ledger.db")
    for (const end of ["", "-wal"]) copyFileSync(ledgerFile + end, copy + end)
    const [row] = query(
      copy,
      "SELECT (SELECT max(seq) FROM entries WHERE kind = 'request') > max(seq) AS trail FROM requests",
    )
    return row?.["trail"] === 1
  } finally {
    rmSync(aside, { recursive: true })
  }
}

function flipped(bytes: Buffer, offset: number): Buffer {
  const changed = Buffer.from(bytes)
  changed.writeUInt8((bytes[offset] ?? 0) ^ 1, offset)
  return changed
}

/** Where the first page of the journal's table begins, by https://www.sqlite.org/fileformat2.html. */
function rootPageOffset(file: string, bytes: Buffer): number {
  const [table] = query(file, "SELECT rootpage FROM sqlite_schema WHERE name = 'entries'")
  const pageBytes = bytes.readUInt16BE(16)
  return ((table?.["rootpage"] as number) - 1) * pageBytes
}
