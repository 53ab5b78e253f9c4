import assert from "node:assert/strict"
import { cpSync, rmSync } from "node:fs"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import { toldReason } from "../../src/vault/status/signing.ts"
import { type Signing } from "../../src/contract/signing.ts"
import type { StatusView } from "../../src/contract/views.ts"
import { bot, limitOrder, type Bot } from "../support/bot.ts"
import {
  countersign,
  countersignJson,
  makeInstallation,
  serve,
  statusJson,
  type Served,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { parseCommand } from "../support/named-commands.ts"
import { killAllNaming } from "../support/process-tree.ts"
import { addClient, makeTradingKeys, tradingPolicy, writePolicy } from "../support/trading-keys.ts"

type Finding = {
  readonly check: string
  readonly state: string
  readonly message: string
  readonly fix: string | null
}

const path = "/sign/v1/trade/orders"

describe("what the vault signs, by everything that tells of it", { timeout: 180_000 }, () => {
  let installation: TemporaryInstallation
  let daemon: Served
  let client: Bot
  let token: string

  const at = (...args: readonly string[]) => [...args, "--dir", installation.dir]
  const place = (name: string) => join(installation.dir, name)
  const start = async (): Promise<void> => {
    daemon = await serve(installation.dir)
    client = bot(daemon.url, token)
  }
  before(async () => {
    installation = await makeInstallation()
    await writePolicy(installation.dir, tradingPolicy)
    await makeTradingKeys(installation.dir)
    token = await addClient(installation.dir, "bot", [
      ...["--keys", "mm,main", "--allow-type-b"],
      ...["--right", "metrics"],
    ])
    await start()
  })
  after(async () => {
    await daemon.stop("SIGKILL")
    await killAllNaming(installation.dir)
    await installation.remove()
  })

  type Told = {
    readonly signs: Signing["signs"]
    /** The first reason's code; none where all is signed. */
    readonly code: string | undefined
    readonly fix: RegExp
    readonly order: number
  }

  /** Asks everything that tells what the vault signs, and holds each answer against what `status` tells. */
  async function assertTold(told: Told): Promise<void> {
    const { state } = await statusJson<Pick<StatusView, "state">>(at())
    assert.deepEqual([state.signs, state.reasons[0]?.code], [told.signs, told.code])
    await assertShown(state, told)
    await assertFound(state)
    await assertServed(state)
    await assertAnswered(state, told)
  }

  async function assertShown({ words }: Signing, { signs, fix }: Told): Promise<void> {
    const shown = await countersign(at("status"))
    assert.equal(shown.code, signs === "nothing" ? 1 : 0)
    assert.ok(shown.stdout.includes(words), shown.stdout)
    assert.match(shown.stdout, fix)
  }

  /** By doctor, whose fix can be typed as it is. */
  async function assertFound({ reasons }: Signing): Promise<void> {
    const { stdout } = await countersign(at("doctor", "--json"))
    const { findings } = JSON.parse(stdout) as { readonly findings: readonly Finding[] }
    const own = findings.filter(({ check }) => check === "signing")
    assert.deepEqual(
      own.map(({ fix }) => fix),
      reasons.length === 0 ? [null] : reasons.map(({ fix }) => fix),
    )
    for (const [index, reason] of reasons.entries()) {
      assert.equal(own[index]?.message, toldReason(reason))
    }
    for (const { fix } of findings) await parseCommand(fix ?? "")
  }

  /** By the gate: readiness and metrics. */
  async function assertServed({ signs, reasons }: Signing): Promise<void> {
    const ready = await client.get("/readyz")
    assert.equal(ready.status, signs === "nothing" ? 503 : 200)
    const whole = reasons.filter(({ scope }) => scope === "all").map(({ code }) => code)
    assert.deepEqual(ready.json.data, { signs, reasons: whole })
    const headers = { Authorization: `Bearer ${token}` }
    const metrics = await (await fetch(`${daemon.url}/metrics`, { headers })).text()
    assert.ok(metrics.includes(`\ncountersign_signs{what="${signs}"} 1\n`))
    for (const { code } of reasons) {
      assert.ok(metrics.includes(`\ncountersign_signing_reason{code="${code}",`))
    }
  }

  /** By what a bot is answered, and by what a check foresees. */
  async function assertAnswered({ signs, reasons }: Signing, { order }: Told): Promise<void> {
    const asked = await client.post(path, limitOrder())
    assert.equal(asked.status, order)
    const check = await client.post(`/check${path.slice("/sign".length)}`, limitOrder())
    assert.equal(check.json.data["would_sign"], order === 200)
    if (order !== 503) return
    const [reason] = reasons
    assert.deepEqual([asked.json.code, asked.json.msg], [reason?.code, reason?.message])
    assert.equal(asked.json.data["signs"], signs)
    assert.ok(reason?.fix.startsWith(String(asked.json.data["fix"])))
  }

  it("is all, where nothing keeps it from that", async () => {
    await assertTold({
      signs: "all",
      code: undefined,
      fix: /^signing {3}signs what policies allow$/m,
      order: 200,
    })
  })

  it("is all but for a client that is frozen", async () => {
    await countersignJson(at("freeze", "--client", "bot", "--reason", "a drill"))
    const fix = /countersign thaw --client bot --dir/
    await assertTold({ signs: "all", code: "frozen", fix, order: 423 })
    await countersignJson(at("thaw", "--client", "bot"))
  })

  it("is what reduces risk, where everything is frozen but that", async () => {
    await countersignJson(at("freeze", "--reason", "a drill"))
    const fix = /countersign thaw --all --dir/
    await assertTold({ signs: "reduce_only", code: "frozen", fix, order: 423 })
    await countersignJson(at("thaw", "--all"))
  })

  it("is nothing, where cancels are frozen too", async () => {
    await countersignJson(at("freeze", "--reason", "a drill", "--no-cancels"))
    const fix = /countersign thaw --all --dir/
    await assertTold({ signs: "nothing", code: "frozen", fix, order: 423 })
    await countersignJson(at("thaw", "--all"))
  })

  it("is nothing while the keys are locked", async () => {
    await countersignJson(at("lock"))
    const fix = /countersign unlock --dir/
    await assertTold({ signs: "nothing", code: "locked", fix, order: 423 })
    await countersignJson(at("unlock"))
  })

  it("is nothing while a restored ledger waits for accept-restore", async () => {
    const copy = join(installation.home, "copy.db")
    await countersignJson(at("backup", "--to", copy))
    assert.equal((await client.post(path, limitOrder())).status, 200)
    await daemon.stop()
    rmSync(place("ledger.db-wal"), { force: true })
    cpSync(copy, place("ledger.db"))
    await start()
    const fix = /countersign ledger accept-restore --dir/
    await assertTold({ signs: "nothing", code: "restore_unaccepted", fix, order: 503 })
    const repeat = { "Idempotency-Key": "an-earlier-one" }
    const asked = await client.post(path, limitOrder(), repeat)
    assert.deepEqual([asked.status, asked.json.code], [503, "restore_unaccepted"])
    await countersignJson(at("ledger", "accept-restore"))
    await assertTold({
      signs: "all",
      code: undefined,
      fix: /^signing {3}signs what policies allow$/m,
      order: 200,
    })
  })

  it("is nothing where no daemon runs, as status and doctor tell", async () => {
    await daemon.stop()
    const { state } = await statusJson<Pick<StatusView, "state">>(at())
    assert.deepEqual(
      [state.signs, state.reasons.map(({ code }) => code)],
      ["nothing", ["not_running"]],
    )
    const doctor = await countersign(at("doctor"))
    assert.match(doctor.stdout, /No daemon runs here, so nothing is signed\./)
    await start()
  })
})
