import assert from "node:assert/strict"
import { appendFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import type { CheckReport, LimitUse } from "../../src/contract/bot-views.ts"
import { bot, limitOrder, type Bot } from "../support/bot.ts"
import {
  countersign,
  countersignJson,
  makeInstallation,
  serve,
  type Served,
  type TemporaryInstallation,
} from "../support/countersign.ts"
import { guardedAccount, guardedWallet } from "../support/guarded-account.ts"
import { killAllNaming, until } from "../support/process-tree.ts"
import { addClient, makeTradingKeys, writePolicy } from "../support/trading-keys.ts"

const policy = `policy: limited
rules:
  - {name: small, endpoints: [placeOrder], max_quantity: "0.5"}
  - {name: out, endpoints: [cancelOrder]}
limits:
  - {name: few, count: requests, window: 1h, max: "3", per: client}
  - {name: hourly, sum: submitted_notional, window: 1h, max: "1000000"}
`

describe("limits at the command line and over HTTP", { timeout: 180_000 }, () => {
  let installation: TemporaryInstallation
  let daemon: Served
  let client: Bot
  before(async () => {
    installation = await makeInstallation(["--venue", "sandbox", "--backend", "memory"])
    await writePolicy(installation.dir, policy)
    daemon = await serve(installation.dir)
    await makeTradingKeys(installation.dir)
    client = bot(daemon.url, await addClient(installation.dir, "bot"))
  })
  after(async () => {
    await daemon.stop("SIGKILL")
    await killAllNaming(installation.dir)
    await installation.remove()
  })

  const at = (...args: readonly string[]) => [...args, "--dir", installation.dir]
  const place = () => client.post("/sign/v1/trade/orders", limitOrder())
  const shownLimits = async () =>
    (await countersignJson<{ readonly limits: readonly LimitUse[] }>(at("limits", "show"))).limits
  const explain = (...args: readonly string[]) => at("policy", "explain", ...args)

  it("are shown with nothing used", async () => {
    const { stdout } = await countersign(at("limits", "show"))
    assert.match(stdout, /^LIMIT +MODE +FOR +USED +MAX$/m)
    assert.match(stdout, /^limited\/few +enforce +client +0 +3$/m)
  })

  it("are explained for a request in a file and on standard input, for people and scripts", async () => {
    const file = join(installation.home, "order.json")
    writeFileSync(file, JSON.stringify(limitOrder()))
    const ofFile = await countersignJson<CheckReport>(explain(file, "--client", "bot"))
    const ofInput = await countersignJson<CheckReport>(
      explain("-", "--client", "bot", "--key", "mm"),
      JSON.stringify(limitOrder()),
    )
    assert.deepEqual(ofInput, ofFile)
    assert.deepEqual([ofFile.would_sign, ofFile.refusal], [true, null])
    const checked = await client.post("/check/v1/trade/orders", limitOrder())
    assert.deepEqual(checked.json.data, { ...ofFile, do: null })

    const { stdout, code } = await countersign(explain(file, "--client", "bot"))
    assert.equal(code, 0)
    assert.match(stdout, /^It would be signed\.$/m)
    assert.match(stdout, /^limited\/small +policies\/trading\.yaml:3 +allows$/m)
    assert.match(stdout, /^limited\/few +0 +1 +3$/m)
    assert.match(stdout, /^limited\/hourly +0 +6300 +1000000$/m)
  })

  it("are explained for a refusal with the rule, its line and its reason", async () => {
    const order = JSON.stringify(limitOrder({ quantity: "0.6" }))
    const { stdout, code } = await countersign(explain("-", "--client", "bot"), order)
    assert.equal(code, 3)
    assert.match(stdout, /^It would be refused: Refused by policy: /m)
    assert.match(stdout, /^limited\/small +policies\/trading\.yaml:3 +does not match +\S+/m)
    const broken = await countersign(explain("-", "--client", "bot"), '{"symbol_id": 1.5}')
    assert.match(broken.stdout, /^It would be refused: /m)
    const path = ["--path", "/v1/trade/orders/cancel"]
    const cancel = await countersign(explain("-", "--client", "bot", ...path), '{"order_id": "1"}')
    assert.match(cancel.stdout, /^It would be signed\.$/m)
  })

  it("can't be explained for a client or a file that isn't there", async () => {
    const client = await countersign(explain("-", "--client", "nobody", "--json"), "{}")
    assert.equal(client.code, 1)
    assert.match(client.stdout, /"name_unknown"/)
    const file = await countersign(explain("/nowhere.json", "--client", "bot"))
    assert.equal(file.code, 2)
    assert.match(file.stderr, /\/nowhere\.json can't be read/)
    assert.equal((await countersign(explain("-"), "{}")).code, 2)
  })

  it("refuse with 429 and Retry-After, and GET /limits tells what is used", async () => {
    for (let count = 0; count < 3; count++) assert.equal((await place()).status, 200)
    const spent = await place()
    assert.deepEqual([spent.status, spent.json.code], [429, "limit_exhausted"])
    const { frees_at, retry_after_ms, ...others } = spent.json.data
    assert.deepEqual(others, {
      ...{ policy: "limited", limit: "few", max: "3", used: "3", asked: "1", room: "0" },
    })
    assert.ok(Number(frees_at) > Date.now())
    const retryAfter = Number(spent.headers.get("Retry-After"))
    assert.equal(retryAfter, Math.ceil(Number(retry_after_ms) / 1_000))

    const { limits } = (await client.get("/limits")).json.data as { limits: readonly LimitUse[] }
    const shown = limits.map((each) => ({ ...each, raised_until: null }))
    assert.deepEqual({ limits: shown, guards: [] }, await countersignJson(at("limits", "show")))
    assert.deepEqual(
      limits.map(({ limit, for: who, used, max }) => [limit, who, used, max]),
      [
        ["few", "bot", "3", "3"],
        ["hourly", "", "18900", "1000000"],
      ],
    )
    const cancel = await client.post("/sign/v1/trade/orders/cancel", { order_id: "1" })
    assert.equal(cancel.status, 200, cancel.text)
  })

  it("are raised for a while, which ends by itself", async () => {
    const raise = at(
      "limits",
      "raise",
      "limited/few",
      "--to",
      "4",
      "--for",
      "3s",
      "--reason",
      "test",
    )
    assert.equal((await place()).status, 429)
    const { stdout, code } = await countersign(raise)
    assert.equal(code, 0)
    assert.match(stdout, /^limited\/few allows 4 until \d{4}-\d\d-\d\dT[\d:.]+Z\.\n$/)
    const [, until4 = ""] = /until (\S+)\./.exec(stdout) ?? []
    const shown = await countersign(at("limits", "show"))
    assert.match(shown.stdout, new RegExp(`^limited/few .* 4 until ${until4}$`, "m"))
    const ended = async () => {
      const [few] = await shownLimits()
      return few?.max === "3" ? true : undefined
    }
    await until(ended, "the raise has ended")
    assert.doesNotMatch((await countersign(at("limits", "show"))).stdout, / until /)
    const used = Number((await shownLimits())[0]?.used)
    if (used < 4) assert.equal((await place()).status, 429)
  })

  it("say that they are raised wherever the files are shown, until the raise is ended", async () => {
    const reason = ["--reason", "test"]
    const much = ["limits", "raise", "few", "--to", "31", "--for", "8d", ...reason]
    const unasked = await countersign(at(...much))
    assert.deepEqual([unasked.code, unasked.stderr.includes("terminal")], [2, true], unasked.stderr)
    assert.equal((await countersign(at(...much, "--yes"))).code, 0)
    const named = /^raised {4}limited\/few to 31 until \S+ \(the files say 3\)/m
    for (const words of [["status"], ["policy", "show"], ["policy", "reload"]])
      assert.match((await countersign(at(...words))).stdout, named)
    for (const more of [["--to", "4"], ["--for", "1s"], reason])
      assert.equal((await countersign(at("limits", "raise", "few", "--end", ...more))).code, 2)
    const ended = await countersign(at("limits", "raise", "few", "--end"))
    assert.match(ended.stdout, /^limited\/few isn't raised any more/)
    for (const words of [["status"], ["policy", "show"], ["policy", "reload"]])
      assert.doesNotMatch((await countersign(at(...words))).stdout, /^raised/m)
    assert.equal((await countersign(at("limits", "raise", "few", "--end"))).code, 1)
    assert.equal((await countersign(at("limits", "raise", "few"))).code, 2)
  })

  it("aren't raised to what they allow already, nor when they are unknown, nor without a reason", async () => {
    const raise = async (name: string, ...options: readonly string[]) => {
      const ended = await countersign(at("limits", "raise", name, ...options, "--json"))
      return [(JSON.parse(ended.stdout) as { error: { code: string } }).error.code, ended.code]
    }
    const reason = ["--reason", "test"]
    assert.deepEqual(await raise("few", "--to", "3", "--for", "1s", ...reason), ["usage", 2])
    assert.deepEqual(await raise("none", "--to", "9", "--for", "1s", ...reason), [
      "name_unknown",
      1,
    ])
    assert.deepEqual(await raise("few", "--to", "9", "--for", "1s"), ["usage", 2])
    assert.deepEqual(await raise("few", "--to", "9", "--for", "999ms", ...reason), ["usage", 2])
    assert.deepEqual(await raise("few", "--to", "9", "--for", "32d", ...reason), ["usage", 2])
    assert.deepEqual(await raise("few", "--to", "9", "--for", "soon", ...reason), ["usage", 2])
    assert.deepEqual(await raise("a/b/c", "--to", "9", "--for", "1s", ...reason), ["usage", 2])
  })
})

describe("a guard at the command line", { timeout: 180_000 }, () => {
  it("tells what it leaves of each account that is traded under it, and when that was read", async (t) => {
    const installation = await makeInstallation(["--venue", "sandbox", "--backend", "memory"])
    const { dir } = installation
    await writePolicy(
      dir,
      `policy: guarded
rules: [{name: all, endpoints: [placeOrder]}]
guards: [{name: small, max_position: {BTC-PERP: {net: "1"}}, max_open_orders: 3}]
`,
    )
    appendFileSync(join(dir, "venue.yaml"), guardedAccount)
    const daemon = await serve(dir)
    t.after(async () => {
      await daemon.stop("SIGKILL")
      await killAllNaming(dir)
      await installation.remove()
    })
    const show = async () => (await countersign(["limits", "show", "--dir", dir])).stdout
    await makeTradingKeys(dir)
    await addClient(dir, "bot")
    assert.equal(await show(), "No policy has a limit.\n")
    const targets = ["keys", "targets", "mm", "--set", guardedWallet.address, "--dir", dir]
    assert.equal((await countersign(targets)).code, 0)
    const shown = await show()
    assert.match(shown, /^GUARD +ACCOUNT +OF +MEASURED +IN FLIGHT +ROOM +MAX +READING$/m)
    const unread = "- +- +-"
    const row = (of: string, max: string) =>
      new RegExp(`^guarded/small +main +${of} +${unread} +${max} +never read$`, "m")
    assert.match(shown, row("BTC-PERP net long", "1"))
    assert.match(shown, row("BTC-PERP net short", "1"))
    assert.match(shown, row("max_open_orders", "3"))
  })
})

describe("repeat_within over a vault's death", { timeout: 180_000 }, () => {
  it("refuses what was signed before, and nothing else", async (t) => {
    const installation = await makeInstallation()
    await writePolicy(
      installation.dir,
      "policy: once\nrepeat_within: 1m\nrules: [{name: all, endpoints: [placeOrder]}]\n",
    )
    let daemon = await serve(installation.dir)
    t.after(async () => {
      await daemon.stop("SIGKILL")
      await killAllNaming(installation.dir)
      await installation.remove()
    })
    await makeTradingKeys(installation.dir)
    const token = await addClient(installation.dir, "bot")
    const place = async (price: string) => {
      const { status, text } = await bot(daemon.url, token).post(
        "/sign/v1/trade/orders",
        limitOrder({ price }),
      )
      return status === 200 ? "signed" : /repeated_within/.exec(text)?.[0]
    }
    assert.equal(await place("63000"), "signed")
    await daemon.stop("SIGKILL")
    await killAllNaming(installation.dir)
    daemon = await serve(installation.dir)
    assert.deepEqual([await place("63000"), await place("63001")], ["repeated_within", "signed"])
  })
})

describe("a limit for ever over a vault's death and a reload", { timeout: 180_000 }, () => {
  it("goes on under another name, raises by hand alone, and says where it begins anew", async (t) => {
    const installation = await makeInstallation()
    const { dir } = installation
    const rules = "rules: [{name: all, endpoints: [placeOrder]}]"
    const life = (limit: string): string =>
      `policy: trial\n${rules}\nlimits: [{window: ever, count: orders, max: "2", ${limit}}]\n`
    await writePolicy(dir, life("name: life"))
    let daemon = await serve(dir)
    t.after(async () => {
      await daemon.stop("SIGKILL")
      await killAllNaming(dir)
      await installation.remove()
    })
    await makeTradingKeys(dir)
    const token = await addClient(dir, "bot")
    const place = async () => {
      const order = ["/sign/v1/trade/orders", limitOrder()] as const
      const { status, text } = await bot(daemon.url, token).post(...order)
      if (status === 200) return "signed"
      const { data } = JSON.parse(text) as { data: Record<string, unknown> }
      return [data["limit"], data["used"], data["frees_at"], data["retry_after_ms"]]
    }
    assert.equal(await place(), "signed")
    await daemon.stop("SIGKILL")
    await killAllNaming(dir)
    daemon = await serve(dir)
    assert.equal(await place(), "signed")
    assert.deepEqual(await place(), ["life", "2", null, null])

    await writePolicy(dir, life("name: cap"))
    assert.equal((await countersign(["policy", "reload", "--dir", dir])).code, 0)
    assert.deepEqual(await place(), ["cap", "2", null, null])
    const raise = ["limits", "raise", "cap", "--to", "3", "--for", "1h", "--reason", "test"]
    assert.equal((await countersign([...raise, "--dir", dir])).code, 0)
    assert.deepEqual([await place(), await place()], ["signed", ["cap", "3", null, null]])

    await writePolicy(dir, life("name: cap, per: client"))
    const shown = await countersign(["policy", "accept", "--dir", dir])
    assert.match(shown.stdout, /WIDENS .*limits\/cap\n\+ {2}counts from 0, unless/)
    assert.equal((await countersign(["policy", "reload", "--dir", dir])).code, 0)
    assert.equal(await place(), "signed")
    const log = await countersign(["policy", "log", "--dir", dir])
    assert.equal(log.stdout.match(/WIDENS .*limits\/cap: - → counts from 0/g)?.length, 1)
  })
})
