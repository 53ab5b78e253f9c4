// A guard on losses as bots and an operator meet it, with real processes. Somebody else trades the account, and loses by it.

import assert from "node:assert/strict"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import { marketControlPaths } from "../../src/sandbox/market-control.ts"
import { bot, limitOrder, type Answer, type Bot } from "../support/bot.ts"
import { countersign, countersignJson, countersignTyped } from "../support/countersign.ts"
import { equityLine, startGuardedSite, type GuardedSite } from "../support/guarded-site.ts"
import { childRunning, until } from "../support/process-tree.ts"

const orders = "/v1/trade/orders"
/** What a reading covers soon. */
const briefly = { "Countersign-Expires-In": "1000" }
const reason = ["--reason", "looked at it"]

/** A zone in which it is about noon, so that no day ends meanwhile. */
function zoneAtNoon(): string {
  const hours = new Date().getUTCHours() - 12
  return `Etc/GMT${hours < 0 ? hours : `+${hours}`}`
}

const market = (isBuy: boolean, quantity: string, changes: object = {}) => ({
  ...{ symbol_id: 1, is_buy: isBuy, order_type: "market", quantity, slippage: "0.01" },
  ...changes,
})

type Use = Readonly<Record<"measured" | "max" | "room", string>>

describe(
  "a daemon whose policy bounds what an account loses in a day",
  { timeout: 120_000 },
  () => {
    let home: string
    let site: GuardedSite
    let trader: Bot
    before(async () => {
      home = await mkdtemp(join(tmpdir(), "cs-losses-"))
      const prices = join(home, "prices")
      await writeFile(prices, "2026-05-28T12:00:00Z,BTC-PERP,63000\n") // which stays so
      site = await startGuardedSite({
        ...{ market: ["--market", prices], lag: "200ms", expiresIn: "15s" },
        ...{ guard: `daily_loss: {max: "200", zone: ${zoneAtNoon()}}`, account: equityLine },
      })
      trader = bot(site.daemon.url, site.tokens[1])
    })
    after(async () => {
      await site.remove()
      await rm(home, { recursive: true, force: true })
    })

    const at = (...words: readonly string[]) => [...words, "--dir", site.dir]
    const run = (...words: readonly string[]) => countersign(at(...words))

    /** Somebody buys so much by hand and sells it again, for about 76 a unit. */
    async function churn(quantity: string): Promise<void> {
      for (const isBuy of [true, false]) {
        const body = { account_address: site.account, order: market(isBuy, quantity) }
        const { ok } = await fetch(site.venue.url + marketControlPaths.market, {
          ...{ method: "POST", body: JSON.stringify(body) },
          headers: { "Content-Type": "application/json" },
        })
        assert.ok(ok)
      }
    }

    async function use(): Promise<Use> {
      const { guards } = await countersignJson<{ readonly guards: readonly Use[] }>(
        at("limits", "show"),
      )
      return guards[0] ?? assert.fail("no guard is shown")
    }

    const lost = async () => Number((await use()).measured)
    const place = (quantity: string, price = "50000") =>
      trader.post(`/sign${orders}`, limitOrder({ quantity, price }), briefly)

    /** Waits until this is answered otherwise than for want of a reading. */
    async function untilRead(): Promise<void> {
      await until(
        async () => ((await place("0.001")).status === 200 ? true : undefined),
        "it is read",
      )
    }

    it("signs until what may be lost has no room in it, and says by what", async () => {
      await untilRead()
      assert.equal((await trader.post(orders, market(true, "0.01"), briefly)).status, 200)
      const refused = await place("0.5")
      assertRefused(
        refused,
        "guard_exceeded",
        /^The guard guarded\/small \(policies\/trading\.yaml:5\) has no room: daily_loss of main would come to \d+\.\d+, and 200 is allowed \(\d+(\.\d+)? by the last reading, \d+(\.\d+)? in flight, \d+(\.\d+)? asked\)\. Cancels and reduce-only orders pass\.$/,
      )
      const { from, equity, kind } = refused.json.data
      assert.equal(kind, "daily_loss")
      assert.ok(Number(from) >= Number(equity), refused.text)
    })

    it("takes smaller orders alone as the loss comes near its bound", async () => {
      const small = async () => ((await place("0.05")).status === 200 ? true : undefined)
      await until(small, "there is room for a small order")
      await churn("1")
      const near = async () => ((await lost()) > 60 ? true : undefined)
      await until(near, "the loss is read")
      await until(async () => ((await place("0.01")).status === 200 ? true : undefined), "room")
      assertRefused(await place("0.25"), "guard_exceeded", /daily_loss of main would come to/)
    })

    it("trips once more is lost, and lets out alone", async () => {
      await churn("2")
      const tripped = await until(async () => {
        const answer = await place("0.001")
        return answer.json.code === "guard_tripped" ? answer : undefined
      }, "it trips")
      const words =
        /^The guard guarded\/small \(policies\/trading\.yaml:5\) has tripped: main has lost what daily_loss allows\. Nothing opens a position there now; it ends with the day, or a person ends it: countersign guards rearm\. Cancels and reduce-only orders pass\.$/
      assertRefused(tripped, "guard_tripped", words)
      for (const path of [`/check${orders}`, orders, `/sign${orders}`]) {
        const { json } = await trader.post(path, limitOrder({ quantity: "0.001", price: "50000" }))
        const refusal = path.startsWith("/check") ? json.data["refusal"] : json
        assert.equal((refusal as { code: string }).code, "guard_tripped")
      }
      assert.equal((await trader.post(`${orders}/cancel-all`, {})).status, 200)
      const close = market(false, "0.005", { flags: ["reduce_only"] })
      const closed = await trader.post(orders, close)
      assert.equal(closed.headers.get("Countersign-Source"), "venue", closed.text)
    })

    it("shows the trip to a person", async () => {
      const shown = await run("limits", "show")
      assert.match(
        shown.stdout,
        /\nguarded\/small {2}main +daily_loss +2\d\d\.\d+ +\S+ +0 +200 +tripped (now|\d+ s ago)\n/,
      )
      const { stdout } = await run("status")
      assert.match(
        stdout,
        /^guard_tripped: The guard guarded\/small has tripped: main has lost what it allows, so nothing opens a position there\.$/m,
      )
      assert.match(
        stdout,
        /countersign guards rearm .*guarded\/small --allow 100 --reason WORDS lets it lose 100 more$/m,
      )
    })

    it("stays tripped when its vault was killed", async () => {
      const { pid } = await childRunning(site.daemon.pid, "vault/main")
      process.kill(pid, "SIGKILL")
      const refusal = await until(async () => {
        const answer = await place("0.001")
        assert.notEqual(answer.status, 200)
        return answer.json.code.startsWith("guard_") ? answer : undefined
      }, "the vault is there again")
      assertRefused(refusal, "guard_tripped", /has tripped/)
      const counted = async () => ((await use()).measured ? lost() : undefined)
      assert.ok((await until(counted, "it is read again")) > 200, "no loss is forgotten")
    })

    it("is re-armed by a person, who says how much more, and why", async () => {
      const mistakes: readonly (readonly [readonly string[], number, RegExp])[] = [
        [
          ["night", "--allow", "1"],
          1,
          /No guard named night bounds losses of an account; .*countersign limits show/,
        ],
        [["small", "--allow", "lots"], 2, /--allow must be a decimal like 200\.$/m],
        [["small", "--allow", "1", "--for", "soon"], 2, /a duration like 12h/],
        [
          ["small", "--allow", "1", "--account", "other"],
          1,
          /No guard named small bounds losses of other/m,
        ],
        [["small"], 2, /--allow/],
      ]
      for (const [words, code, says] of mistakes) {
        const ended = await run("guards", "rearm", ...words, ...reason)
        assert.deepEqual([ended.code, ended.stdout], [code, ""], ended.stderr)
        assert.match(ended.stderr, says)
      }
      const bare = await run("guards", "rearm", "small", "--allow", "1")
      assert.equal(bare.code, 2)
      assert.match(bare.stderr, /--reason/)
      const { code, stdout, stderr } = await run(
        "guards",
        "rearm",
        "small",
        "--allow",
        "100",
        ...reason,
      )
      assert.equal(code, 0, stderr)
      assert.match(
        stdout,
        /^guarded\/small lets main lose 3\d\d\.\d+ until \d{4}-\d\d-\d\dT\d\d:00:00Z\.\n$/,
      )
      await untilRead()
      assert.ok(Number((await use()).max) > 300)
      assert.doesNotMatch((await run("status")).stdout, /^guard_tripped:/m)
    })

    it("is told what was paid out", async () => {
      const before = await lost()
      const sideways = await run("guards", "flow", "main", "sideways", "5", ...reason)
      assert.deepEqual([sideways.code, sideways.stdout], [2, ""])
      assert.match(sideways.stderr, /Write in or out in place of sideways\./)
      const much = await run("guards", "flow", "main", "out", "much", ...reason)
      assert.equal(much.code, 2)
      assert.match(much.stderr, /The amount must be a decimal like 5000\./)
      const other = await run("guards", "flow", "other", "out", "5", ...reason)
      assert.equal(other.code, 1)
      assert.match(other.stderr, /venue\.yaml has no account named other; it has main\./)
      const { code, stdout } = await run("guards", "flow", "main", "out", "100", ...reason)
      assert.deepEqual([code, stdout], [0, "What was paid out of main is no loss.\n"])
      assert.ok(Math.abs((await lost()) - Math.max(0, before - 100)) < 1, `${before} before`)
    })

    it("counts from what a person agrees to, and from nothing else", async () => {
      const question = "main has"
      const anchor = at("guards", "anchor", "main", ...reason)
      const no = await countersignTyped(anchor, [{ after: question, keys: "n" }])
      assert.deepEqual([no.code, no.stdout], [1, ""])
      assert.match(
        no.stderr,
        /main has \d+\.\d+ \(read (now|\d+ s ago)\)\. Is that what the venue's own page says\?/,
      )
      assert.match(no.stderr, /Nothing was done\.\n$/)
      const yes = await countersignTyped(anchor, [{ after: question, keys: "y" }])
      assert.equal(yes.code, 0, yes.stderr)
      assert.match(yes.stdout, /^Losses of main count from \d+(\.\d+)? on\.$/m)
      assert.ok((await lost()) < 5)
      assert.ok(Number((await use()).max) === 200, "what was allowed more has ended")
    })

    it("leaves it all to read in the record", async () => {
      const { stdout } = await run("audit", "tail", "--lines", "200")
      for (const act of ["guard_tripped", "guard_rearmed", "account_marked"]) {
        assert.match(stdout, new RegExp(act))
      }
    })
  },
)

function assertRefused({ status, json, text }: Answer, code: string, says: RegExp): void {
  assert.deepEqual([status, json.code], [403, code], text)
  assert.match(json.msg, says)
}
