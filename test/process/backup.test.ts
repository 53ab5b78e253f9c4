import assert from "node:assert/strict"
import { cpSync, mkdirSync, rmSync, statSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import { bot, limitOrder, type Bot } from "../support/bot.ts"
import {
  countersign,
  countersignJson,
  countersignProcess,
  makeInstallation,
  serve,
  type Served,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { killAllNaming } from "../support/process-tree.ts"
import { readLedger } from "../support/read-ledger.ts"
import { addClient, makeTradingKeys, tradingPolicy, writePolicy } from "../support/trading-keys.ts"

type Written = { readonly file: string; readonly head_seq: number; readonly head_hash: string }

describe("backup and restore", { timeout: 180_000 }, () => {
  let installation: TemporaryInstallation
  let daemon: Served
  let client: Bot
  let token: string
  let written: Written
  const nonces: number[] = []

  const at = (...args: readonly string[]) => [...args, "--dir", installation.dir]
  const start = async (): Promise<void> => {
    daemon = await serve(installation.dir)
    client = bot(daemon.url, token)
  }
  const sign = async (): Promise<number> => {
    const { status, json } = await client.post("/sign/v1/trade/orders", limitOrder())
    if (status === 200) nonces.push(json["nonce"] as number)
    return status
  }
  /** What is signed, and the first reason why not all. */
  const state = async () => {
    const { signs, reasons } = (await client.get("/readyz")).json.data
    return (reasons as readonly string[])[0] ?? signs
  }

  before(async () => {
    installation = await makeInstallation()
    await writePolicy(installation.dir, tradingPolicy)
    await makeTradingKeys(installation.dir)
    token = await addClient(installation.dir, "bot")
    await start()
  })
  after(async () => {
    await daemon.stop("SIGKILL")
    await killAllNaming(installation.dir)
    await installation.remove()
  })

  it("writes a checked copy while requests are signed, for its owner alone", async () => {
    const file = join(installation.home, "copy.db")
    const [made] = await Promise.all([
      countersignJson<Written>(at("backup", "--to", file)),
      sign(),
      sign(),
    ])
    written = made
    assert.equal(made.file, file)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    const entries = readLedger(file)
    assert.equal(entries.length, made.head_seq)
    const left = (await readdir(installation.dir)).filter((name) => name.startsWith("backup-"))
    assert.deepEqual(left, [])
  })

  it("never overwrites", async () => {
    const { code, stderr } = await countersign(at("backup", "--to", written.file))
    assert.equal(code, 2)
    assert.match(stderr, /exists already/)
    assert.equal(readLedger(written.file).length, written.head_seq)
  })

  it("says where nothing can be written, and leaves nothing behind", async () => {
    const file = join(installation.home, "none", "copy.db")
    const { code, stderr } = await countersign(at("backup", "--to", file))
    assert.equal(code, 4)
    assert.match(stderr, /can't be written \(ENOENT\)/)
    const left = (await readdir(installation.dir)).filter((name) => name.startsWith("backup-"))
    assert.deepEqual(left, [])
  })

  it("has a second daemon with the same signers not start, in a state directory of its own", async () => {
    const dir = join(installation.home, "second")
    mkdirSync(dir, { mode: 0o700 })
    for (const name of ["countersign.yaml", "venue.yaml", "policies", "keystore"]) {
      cpSync(join(installation.dir, name), join(dir, name), { recursive: true })
    }
    cpSync(written.file, join(dir, "ledger.db"))
    const ended = await countersignProcess(["serve", "--dir", dir, "--port", "0"])
    assert.equal(ended.code, 1)
    assert.match(ended.stderr, /one signer has one daemon/)
    assert.equal(await sign(), 200)
  })

  it("notices that an older ledger was restored, and signs nothing until that is accepted", async () => {
    assert.equal(await sign(), 200)
    await daemon.stop()
    assert.ok(
      readLedger(join(installation.dir, "ledger.db")).some(
        ({ row }) => row["act"] === "backed_up" && row["head_hash"] === written.head_hash,
      ),
    )
    rmSync(join(installation.dir, "ledger.db-wal"), { force: true })
    cpSync(written.file, join(installation.dir, "ledger.db"))
    await start()
    assert.match(daemon.stderr(), /countersign ledger accept-restore/)
    assert.equal(await state(), "restore_unaccepted")
    const { json } = await client.post("/sign/v1/trade/orders", limitOrder())
    assert.equal(json.code, "restore_unaccepted")
    assert.equal(await sign(), 503)

    const accepted = await countersign(at("ledger", "accept-restore"))
    assert.equal(accepted.code, 0, accepted.stderr)
    assert.match(accepted.stdout, /goes on above nonce/)
    assert.equal(await state(), "all")
    const highest = Math.max(...nonces)
    assert.equal(await sign(), 200)
    assert.ok((nonces.at(-1) ?? 0) > highest)
  })

  it("needs that word once, and takes it with the daemon stopped too", async () => {
    await daemon.stop()
    await start()
    assert.equal(await state(), "all")
    await daemon.stop()
    rmSync(join(installation.dir, "ledger.db-wal"), { force: true })
    cpSync(written.file, join(installation.dir, "ledger.db"))
    const accepted = await countersign(at("ledger", "accept-restore"))
    assert.equal(accepted.code, 0, accepted.stderr)
    await start()
    assert.equal(await state(), "all")
    assert.equal(await sign(), 200)
    assert.equal(new Set(nonces).size, nonces.length)
    const again = await countersign(at("ledger", "accept-restore"))
    assert.equal(again.code, 2)
  })
})
