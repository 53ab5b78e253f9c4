import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"

import type { StatusView } from "../../src/contract/views.ts"
import type { HoldView } from "../../src/contract/bot-views.ts"
import { bot, limitOrder, type Answer } from "../support/bot.ts"
import {
  countersign,
  countersignJson,
  makeInstallation,
  serve,
  type Served,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { killAllNaming } from "../support/process-tree.ts"
import { bin } from "../support/published.ts"
import { needsTerminal, onTerminal, shellLine } from "../support/terminal.ts"
import { addClient, makeTradingKeys, writePolicy } from "../support/trading-keys.ts"

const policy = `policy: held
rules:
  - {name: all, endpoints: [placeOrder, placeBatch, chaseOrder]}
hold:
  - {name: large, endpoints: [placeOrder, placeBatch], ttl: 10m}
  - {name: chase, endpoints: [chaseOrder]}
`

describe("a held request", { timeout: 240_000 }, () => {
  let installation: TemporaryInstallation
  let daemon: Served | undefined
  let token: string
  before(async () => {
    installation = await makeInstallation()
    await writePolicy(installation.dir, policy)
    await makeTradingKeys(installation.dir)
    token = await addClient(installation.dir, "bot")
    daemon = await serve(installation.dir)
  })
  after(async () => {
    await daemon?.stop("SIGKILL")
    await killAllNaming(installation.dir)
    await installation.remove()
  })

  const held = (...args: readonly string[]) => ["held", ...args, "--dir", installation.dir]
  const list = () => countersignJson<readonly HoldView[]>(held("list"))
  const place = (changes = {}): Promise<Answer> =>
    bot(daemon?.url ?? "", token).post("/sign/v1/trade/orders", limitOrder(changes))

  async function placeHeld(changes = {}): Promise<string> {
    const answer = await place(changes)
    assert.deepEqual([answer.status, answer.json.code], [403, "approval_required"], answer.text)
    return String(answer.json.data["hold"])
  }

  it("is answered 403 with its hold, the same one when it is sent again", async () => {
    assert.equal((await countersign(held("list"))).stdout, "Nothing waits.\n")
    const answer = await place()
    assert.deepEqual([answer.status, answer.json.code], [403, "approval_required"])
    const { hold, expires_at: expiresAt } = answer.json.data
    assert.match(String(hold), /^hold_/)
    assert.equal(typeof expiresAt, "number")
    assert.equal(await placeHeld(), hold)
    assert.equal((await list()).length, 1)
  })

  it("is shown to the person who decides, decoded and with its worst case", async () => {
    const id = await placeHeld()
    const { stdout } = await countersign(held("list"))
    assert.match(stdout, new RegExp(`^${id}  pending, ends \\d{4}-\\d\\d-\\d\\dT[\\d:]{8}Z$`, "m"))
    const words = "buy 0.1 BTC-PERP at 63,000 limit, worst 6,300 USD, held by held/large"
    assert.match(stdout, new RegExp(`^  ${words}; expires in \\d+ min$`, "m"))
    for (const line of [
      "  placeOrder of client bot with key mm",
      "    is_buy: true",
      '    price: "63000"',
      '    quantity: "0.1"',
      "    symbol_id: 1",
    ]) {
      assert.ok(stdout.split("\n").includes(line), `${line} in\n${stdout}`)
    }
  })

  it("is shown whole, each order of a batch by itself, however long", async () => {
    const order = { is_buy: true, order_type: "limit", price: "63000", quantity: "0.1" }
    const orders = Array.from({ length: 70 }, (_, index) => ({
      ...{ ...order, is_buy: index < 69, symbol_id: 1 },
      client_order_id: `own-\u202e${index}`,
    }))
    const asked = await bot(daemon?.url ?? "", token).post("/sign/v1/trade/orders/batch", {
      orders,
    })
    const id = String(asked.json.data["hold"])
    const short = await countersign(held("list"))
    assert.match(
      short.stdout,
      new RegExp(`this isn't all of it; countersign held show .*${id} shows`),
    )
    const { stdout } = await countersign(held("show", id))
    assert.match(stdout, /^[\n -~]+$/)
    const groups = "69 buy BTC-PERP, worst 434,700 USD; 1 sell BTC-PERP, worst 6,400 USD"
    assert.ok(stdout.includes(`; in all ${groups}, worst 441,100 USD, held by held/large`), stdout)
    const lines = stdout.split("\n")
    assert.deepEqual(
      lines.filter((line) => /^ {6}\d+\. \{/.test(line)).map((line) => line.includes("true")),
      orders.map(({ is_buy }) => is_buy),
    )
    assert.ok(lines.some((line) => line.includes('      70. {"client_order_id":"own-\\u202e69"')))
    const other = await countersign(held("show", "hold_0"))
    assert.deepEqual([other.code, other.stdout], [1, ""])
    assert.match(other.stderr, /no hold with this id; countersign held list/)
    await countersignJson(held("refuse", id))
  })

  it("is shown in plain ASCII, a line for each field, whatever a bot writes into it", async () => {
    await placeHeld({ client_order_id: "a\u202eb\u009b2J\u0430" })
    const strange = { "x\n  held by nobody; worst case: nothing": "\u001b[2J" }
    await bot(daemon?.url ?? "", token).post("/sign/v1/trade/orders/chase", strange)
    const { stdout } = await countersign(held("list"))
    assert.match(stdout, /^[\n -~]+$/)
    assert.ok(stdout.includes('    client_order_id: "a\\u202eb\\u009b2J\\u0430"\n'), stdout)
    assert.ok(
      stdout.includes('    "x\\n  held by nobody; worst case: nothing": "\\u001b[2J"\n'),
      stdout,
    )
  })

  it("is signed once after its release, and held anew after that", async () => {
    const id = await placeHeld()
    const released = await countersignJson<HoldView>(held("release", id))
    assert.deepEqual([released.id, released.state], [id, "released"])
    const before = Date.now()
    const signed = await place()
    assert.equal(signed.status, 200, signed.text)
    assert.ok(Number(signed.json["nonce"]) >= before)
    assert.notEqual(await placeHeld(), id)
    const again = await countersign([...held("release", id), "--json"])
    assert.equal(again.code, 2)
    assert.match(again.stdout, /Too late: this hold is used already/)
  })

  it("lets others like it pass once it is granted, until that is ended", async () => {
    const sell = { is_buy: false, price: "64000" }
    const id = await placeHeld(sell)
    const part = await countersign(held("release", id, "--for", "30m"))
    assert.deepEqual([part.code, part.stderr.includes("--for, --times and --up-to")], [2, true])
    const terms = ["--for", "30m", "--times", "3", "--up-to", "0.5"]
    const { stdout } = await countersign(held("release", id, ...terms))
    assert.ok(stdout.startsWith(`${id}  granted`), stdout)
    assert.equal((await place(sell)).status, 200)
    assert.equal((await place({ ...sell, price: "65000", quantity: "0.2" })).status, 200)
    const open = await countersign(held("grants"))
    assert.match(open.stdout, new RegExp(`^${id}  open, ends `))
    assert.match(open.stdout, /sell 0.2 BTC-PERP limit in one more request, held by held\/large/)
    const ended = await countersign(held("grants", "--end", id))
    assert.match(ended.stdout, new RegExp(`^${id}  ended: a person ended it`))
    await countersignJson(held("refuse", await placeHeld(sell)))
  })

  it("is held anew after a person refused it", async () => {
    const id = await placeHeld()
    const { stdout, code } = await countersign(held("refuse", id))
    assert.equal(code, 0)
    assert.match(stdout, new RegExp(`^${id}  refused`))
    assert.notEqual(await placeHeld(), id)
  })

  it("isn't released for another body, nor under a name that is unknown", async () => {
    const id = await placeHeld()
    await countersignJson(held("release", id))
    assert.notEqual(await placeHeld({ quantity: "0.2" }), id)
    assert.equal((await place()).status, 200)
    const unknown = await countersign(held("release", "hold_0"))
    assert.deepEqual([unknown.code, unknown.stdout], [1, ""])
    assert.match(unknown.stderr, /no hold with this id; countersign held list/)
  })

  it("is judged again when it is released: what policy denies by then is refused", async () => {
    const id = await placeHeld()
    await countersignJson(held("release", id))
    await writePolicy(installation.dir, `${policy}deny: [{name: no, endpoints: [placeOrder]}]\n`)
    await countersignJson(["policy", "reload", "--dir", installation.dir])
    const answer = await place()
    assert.deepEqual([answer.json.code, answer.json.data["rule"]], ["policy_denied", "no"])
    await writePolicy(installation.dir, policy)
    await countersignJson(["policy", "reload", "--dir", installation.dir])
    assert.equal((await place()).status, 200)
  })

  it("is released with a warning of what has changed since, and of what stands in its way now", async () => {
    const warningsOf = async (id: string) => {
      const { stderr } = await countersign(held("release", id))
      return stderr.split("\n").filter((line) => line.startsWith("warning: "))
    }
    const reload = (text: string) =>
      writePolicy(installation.dir, text).then(() =>
        countersignJson(["policy", "reload", "--dir", installation.dir]),
      )
    assert.deepEqual(await warningsOf(await placeHeld({ quantity: "0.11" })), [])
    const [first, second, third] = [
      await placeHeld({ quantity: "0.12" }),
      await placeHeld({ quantity: "0.13" }),
      await placeHeld({ quantity: "0.14" }),
    ]
    const changed = "warning: The policies have changed since it was held."
    await reload(`${policy}# the same rules\n`)
    assert.deepEqual(await warningsOf(first), [changed])
    await reload(`${policy}deny: [{name: no, endpoints: [placeOrder]}]\n`)
    const [, now, ...others] = await warningsOf(second)
    assert.match(
      String(now),
      /^warning: As all stands now it would be refused all the same: .*held\/no/,
    )
    assert.deepEqual(others, [])
    await reload(policy)
    const target = `0x${"ab".repeat(20)}`
    await countersignJson(["keys", "targets", "mm", "--set", target, "--dir", installation.dir])
    const keyChanged = "warning: The key mm has changed since it was held."
    assert.deepEqual(await warningsOf(third), [changed, keyChanged])
  })

  it(
    "is asked for once more at a terminal where something has changed",
    needsTerminal,
    async () => {
      const id = await placeHeld({ quantity: "0.15" })
      await writePolicy(installation.dir, `${policy}# the same rules, once more\n`)
      await countersignJson(["policy", "reload", "--dir", installation.dir])
      const line = shellLine([process.execPath, bin, ...held("release", id)])
      const state = async () => (await list()).find((hold) => hold.id === id)?.state
      const after = "Yes / ● No"
      const question = /Release it all the same: buy 0\.15 BTC-PERP at 63,000 limit, .*expires in/
      const kept = await onTerminal(line, [{ after, keys: "n" }])
      assert.match(kept.screen, /The policies have changed since it was held\./)
      assert.match(kept.screen, question)
      assert.match(kept.screen, /Nothing was done\./)
      assert.deepEqual([kept.code === 0, await state()], [false, "pending"])
      const given = await onTerminal(line, [{ after, keys: "y" }])
      assert.deepEqual([given.code, await state()], [0, "released"])
    },
  )

  it("waits across a restart, and can be released while no daemon runs", async () => {
    const id = await placeHeld()
    const other = await placeHeld({ quantity: "0.3" })
    await countersignJson(held("release", other))
    await daemon?.stop()
    daemon = undefined
    assert.equal((await list()).find((hold) => hold.id === id)?.state, "pending")
    await countersignJson(held("release", id))
    daemon = await serve(installation.dir)
    for (const changes of [{}, { quantity: "0.3" }]) {
      assert.equal((await place(changes)).status, 200)
      await placeHeld(changes)
    }
  })

  it("stands above those that are decided, the soonest to expire first", async () => {
    await countersignJson(held("refuse", await placeHeld({ quantity: "0.4" })))
    const states = (await list()).map(({ state }) => state)
    const waiting = states.filter((state) => state === "pending").length
    assert.ok(waiting > 1 && waiting < states.length)
    assert.deepEqual(new Set(states.slice(0, waiting)), new Set(["pending"]))
    const [first = "", second = ""] = (await list()).map(({ id }) => id)
    assert.ok(first < second) // an id begins with its time
  })

  it("isn't released, nor said to wait, once its client is revoked or its key ended", async () => {
    const waiting = async () =>
      (await countersignJson<StatusView>(["status", "--dir", installation.dir])).holds
    const id = await placeHeld({ quantity: "0.4" })
    assert.ok((await waiting()).some((hold) => hold.id === id))
    await countersignJson(["clients", "revoke", "bot", "--yes", "--dir", installation.dir])
    assert.deepEqual(await waiting(), [])
    const revoked = await countersign(held("release", id))
    assert.equal(revoked.code, 2)
    assert.match(revoked.stderr, /The client bot is revoked, so this request is never signed/)
    await countersignJson(["keys", "remove", "mm", "--yes", "--dir", installation.dir])
    const removed = await countersign(held("release", id))
    assert.match(removed.stderr, /The key mm never signs again, .*countersign held refuse/)
    assert.equal((await countersign(held("refuse", id))).code, 0)
  })
})
