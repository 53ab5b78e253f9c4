import assert from "node:assert/strict"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import { bot, limitOrder, type Answer, type Bot } from "../support/bot.ts"
import {
  countersign,
  countersignProcess,
  makeInstallation,
  serve,
  type Served,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { clockOf, launcherWith, movedClock, needsFaketime } from "../support/faketime.ts"
import { killAllNaming } from "../support/process-tree.ts"
import { readLedger } from "../support/read-ledger.ts"
import { addClient, makeTradingKeys, writePolicy } from "../support/trading-keys.ts"

const policy = `policy: limited
rules:
  - {name: small, endpoints: [placeOrder], max_quantity: "0.5"}
limits:
  - {name: few, count: requests, window: 1h, max: "12", per: client}
`

const dayMs = 86_400_000

describe("a daemon whose clock is set", { timeout: 180_000, ...needsFaketime }, () => {
  let installation: TemporaryInstallation
  let clockFile: string
  let daemon: Served
  let client: Bot
  let token: string
  const answers: Answer[] = []

  const start = async (): Promise<void> => {
    const program = launcherWith(clockOf(clockFile), installation.home)
    daemon = await serve(installation.dir, [], { program })
    client = bot(daemon.url, token)
  }
  const setClock = (offset: string) => writeFileSync(clockFile, offset)
  const sign = async (): Promise<Answer> => {
    const answer = await client.post("/sign/v1/trade/orders", limitOrder())
    answers.push(answer)
    return answer
  }
  /** What is signed, and the first reason why not all. */
  const state = async () => {
    const { signs, reasons } = (await client.get("/readyz")).json.data
    return (reasons as readonly string[])[0] ?? signs
  }
  const nonces = () =>
    answers.filter(({ status }) => status === 200).map(({ json }) => json["nonce"] as number)

  before(async () => {
    installation = await makeInstallation()
    clockFile = join(installation.home, "clock")
    setClock("+0")
    await writePolicy(installation.dir, policy)
    await makeTradingKeys(installation.dir)
    token = await addClient(installation.dir, "bot")
    await start()
  })
  after(async () => {
    await daemon.stop("SIGKILL")
    await killAllNaming(installation.dir)
    await installation.remove()
  })

  it("goes on from the last nonce, and from the same limits, a day back", async () => {
    assert.equal((await sign()).status, 200)
    setClock("-1d")
    for (let n = 0; n < 3; n++) {
      const { status, json } = await sign()
      assert.equal(status, 200)
      const { nonce, expires_after } = json as unknown as Record<string, number>
      assert.ok((expires_after ?? 0) - (nonce ?? 0) <= 15_000)
    }
    setClock("+0")
    assert.equal((await sign()).status, 200, "that is no leap ahead")
  })

  it("signs nothing a year ahead, says so, and goes on once the clock is right", async () => {
    setClock("+365d")
    const { status, json } = await sign()
    assert.equal(status, 503)
    assert.equal(json.code, "clock_unsafe")
    assert.equal(await state(), "clock_unsafe")
    const shown = await countersign(["status", "--dir", installation.dir])
    assert.match(shown.stdout, /countersign clock accept/)
    await countersign(["policy", "reload", "--dir", installation.dir])
    setClock("+0")
    assert.equal(await state(), "all")
    assert.equal((await sign()).status, 200)
  })

  it("repeats no nonce while the clock is set to and fro under load", async () => {
    const load = Promise.all([sign(), sign(), sign()])
    setClock("+5")
    await load
    setClock("-1d")
    await Promise.all([sign(), sign()])
    setClock("+0")
    assert.equal(new Set(nonces()).size, nonces().length)
  })

  it("starts a year ahead and signs nothing, a restart or not, until that is accepted", async () => {
    for (let restart = 0; restart < 2; restart++) {
      await daemon.stop()
      setClock("+365d")
      await start()
      assert.match(daemon.stderr(), /countersign clock accept/)
      assert.equal(await state(), "clock_unsafe")
      assert.equal((await sign()).status, 503)
    }
  })

  it("has no limit freed by all that once the clock is right", async () => {
    setClock("+0")
    assert.equal(await state(), "all")
    const used = nonces().length
    for (let n = used; n < 12; n++) assert.equal((await sign()).status, 200)
    const { json } = await sign()
    assert.equal(json.code, "limit_exhausted")
  })

  it("goes by the clock that an operator accepts", async () => {
    setClock("+2d")
    assert.equal(await state(), "clock_unsafe")
    const args = ["clock", "accept", "--dir", installation.dir]
    const accepted = await countersignProcess(args, "", { environment: movedClock("+2d") })
    assert.equal(accepted.code, 0, accepted.stderr)
    const { status, json } = await sign()
    assert.equal(status, 200)
    assert.ok((json["nonce"] as number) > Date.now() + 1.9 * dayMs)
    await daemon.stop()
    await start()
    assert.equal(await state(), "all")
    await daemon.stop()
    const recorded = readLedger(join(installation.dir, "ledger.db"))
    assert.equal(recorded.filter(({ row }) => row["act"] === "clock_accepted").length, 1)
    assert.equal(new Set(nonces()).size, nonces().length)
  })
})
