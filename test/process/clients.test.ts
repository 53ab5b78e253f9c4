import assert from "node:assert/strict"
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"
import { setTimeout as pause } from "node:timers/promises"

import type { ClientView, StatusView } from "../../src/contract/views.ts"
import { startBotDaemon, type BotDaemon } from "../support/bot-daemon.ts"
import { bot, limitOrder } from "../support/bot.ts"
import { registerIfSecret } from "../support/canaries.ts"
import { countersign, countersignJson, statusJson } from "../support/countersign.ts"
import { addClient } from "../support/trading-keys.ts"

const sign = "/sign/v1/trade/orders"
const cancel = "/sign/v1/trade/orders/cancel"
const isoTime = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`

describe("clients beside a running daemon", { timeout: 180_000 }, () => {
  let daemon: BotDaemon
  before(async () => {
    daemon = await startBotDaemon(["--venue", "sandbox"])
  })
  after(() => daemon.remove())

  const clients = (...words: readonly string[]) =>
    countersign(["clients", ...words, "--dir", daemon.dir])
  /** What it prints; it must end well. */
  const said = async (...words: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await clients(...words)
    assert.equal(code, 0, stderr)
    return stdout
  }
  const listed = async (name: string): Promise<ClientView> => {
    const all = await countersignJson<ClientView[]>(["clients", "list", "--dir", daemon.dir])
    return all.find((each) => each.name === name)!
  }

  it("are set without a new token, and the command says what was and what is", async () => {
    const token = await addClient(daemon.dir, "set-bot")
    const client = bot(daemon.url, token)
    assert.equal((await client.post(sign, limitOrder(), { "Countersign-Key": "mm" })).status, 200)
    const lines = await said("set", "set-bot", "--keys", "main", "--right", "prices")
    assert.equal(
      lines,
      `set-bot from now on:
  keys: mm, main → main
  rights: none → prices
As before: account operations (type B) yes; signed bodies given; repeats known by Idempotency-Key; the token, which never expires.
`,
    )
    const refused = await client.post(sign, limitOrder(), { "Countersign-Key": "mm" })
    assert.deepEqual([refused.status, refused.json.code], [403, "key_not_allowed"])

    const more = await said("set", "set-bot", "--no-rights", "--no-allow-type-b")
    assert.match(more, /\n {2}rights: prices → none\n {2}account operations \(type B\): yes → no\n/)
    const { keys, rights, allow_type_b: mayTypeB } = await listed("set-bot")
    assert.deepEqual([keys, rights, mayTypeB], [["main"], [], false])
    assert.match(await said("set", "set-bot", "--allow-type-b"), /type B\): no → yes\n/)
    assert.match(await said("set", "set-bot", "--keys", "main"), /^set-bot was so already/)
  })

  it("are told of a misspelt key, right or client, and of nothing to do", async () => {
    const complaints: readonly (readonly [words: readonly string[], code: number, RegExp])[] = [
      [["set", "bot", "--keys", "mm,mian"], 1, /There is no key mian; did you mean main\?/],
      [["add", "new", "--keys", "nm"], 1, /There is no key nm; did you mean mm\?/],
      [["set", "bto", "--keys", "mm"], 1, /There is no client bto; did you mean bot\?/],
      [["renew", "bto"], 1, /There is no client bto; did you mean bot\?/],
      [["set", "bot", "--right", "frezee"], 2, /Rights are .*Did you mean freeze\?/],
      [["set", "bot"], 2, /Say what to change/],
      [["set", "bot", "--right", "freeze", "--no-rights"], 2, /--right, or say --no-rights/],
      [["renew", "bot"], 2, /The token of bot never expires; --expires-in gives it an end/],
      [["renew", "bot", "--expires-in", "soon"], 2, /takes a duration like 30d/],
      [["add", "new", "--keys", "mm", "--expires-in", "3651d"], 2, /from 1s to 3650d/],
      [["add", "new", "--keys", "mm", "--expires-in", "999ms"], 2, /from 1s to 3650d/],
    ]
    const before = await listed("bot")
    for (const [words, code, complaint] of complaints) {
      const ended = await clients(...words)
      assert.match(ended.stderr, complaint)
      assert.equal(ended.code, code, words.join(" "))
      assert.equal(ended.stdout, "")
    }
    assert.deepEqual(await listed("bot"), before)
    assert.equal(await listed("new"), undefined)
  })

  it("have tokens that expire, are told of, refused, and renewed", async () => {
    const added = await said("add", "ending", "--keys", "mm", "--expires-in", "2s")
    const [, token = "", end] = added.trimEnd().split("\n").slice(0)
    assert.match(end ?? "", new RegExp(`^It expires at ${isoTime}\\.$`))
    const client = bot(daemon.url, token)
    assert.equal((await client.get("/whoami")).status, 200)
    await pause(2_100)

    const refused = await client.post(cancel, { symbol_id: 1, order_id: "1" })
    assert.deepEqual([refused.status, refused.json.code], [401, "token_expired"])
    assert.equal(refused.headers.get("WWW-Authenticate"), "Bearer")
    assert.match(refused.json.msg, /expired at .*countersign clients renew ending\.$/)
    const { expires_at: endMs, expired } = await listed("ending")
    assert.deepEqual([refused.json.data, expired], [{ expired_at: endMs }, true])
    assert.match(await said("list"), new RegExp(`ending .* expired at ${isoTime}`))

    const view = await statusJson<StatusView>(["--dir", daemon.dir])
    const told = view.alarms.filter(({ subject }) => subject === "ending")
    assert.deepEqual(
      told.map(({ name }) => name),
      ["token_ended", "token_ends"],
    )
    const status = await countersign(["status", "--dir", daemon.dir])
    assert.match(status.stdout, /ending \(expired\)/)
    assert.match(
      status.stdout,
      /The token of the client ending ended at .*\n.*clients renew ending/,
    )
    const doctor = await countersign(["doctor", "--dir", daemon.dir])
    assert.match(doctor.stdout, /The token of the client ending ended at /)

    const renewed = await said("renew", "ending")
    const words = `^The token of ending expires at ${isoTime}; before: expired at ${isoTime}\\.\n$`
    assert.match(renewed, new RegExp(words))
    assert.equal((await client.get("/whoami")).status, 200)
    const { expires_at: laterMs } = await listed("ending")
    const days = ((laterMs ?? 0) - Date.now()) / 86_400_000
    assert.ok(days > 29.9 && days <= 30, `${days}`)
    assert.match(
      (await countersign(["status", "--dir", daemon.dir])).stdout,
      /ending \(29 d left\)/,
    )

    const rotated = await said("rotate", "ending", "--yes")
    assert.match(rotated, new RegExp(`\nIt expires at ${isoTime}, as the old one; `))
    assert.equal((await listed("ending")).expires_at, laterMs)
    assert.equal((await client.get("/whoami")).json.code, "unauthorized")
    assert.match(await said("renew", "bot", "--expires-in", "90d"), /; before: never expires\.\n$/)
  })

  it("have their token in a file that others can't read, where one is named, and nowhere else", async (t) => {
    const directory = mkdtempSync(join(tmpdir(), "cs-tokens-"))
    t.after(() => {
      rmSync(directory, { recursive: true })
    })
    const file = join(directory, "out-bot.token")
    const added = await said("add", "out-bot", "--keys", "mm", "--out", file)
    assert.equal(added, `out-bot is added. Its token is in ${file}.\n`)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    const token = readFileSync(file, "utf8")
    registerIfSecret("token", token.trimEnd())
    assert.match(token, /^cs_\S+\n$/)
    assert.equal((await bot(daemon.url, token.trimEnd()).get("/whoami")).status, 200)

    const taken = await clients("rotate", "out-bot", "--yes", "--out", file)
    assert.equal(taken.code, 1)
    assert.match(taken.stderr, /out-bot\.token is there already; choose another name/)
    assert.equal((await bot(daemon.url, token.trimEnd()).get("/whoami")).status, 200)

    const again = join(directory, "out-bot.new")
    const rotated = await said("rotate", "out-bot", "--yes", "--json", "--out", again)
    const { token: shown, file: named } = JSON.parse(rotated) as Readonly<Record<string, unknown>>
    assert.deepEqual([shown, named], [null, again])
    registerIfSecret("token", readFileSync(again, "utf8").trimEnd())
    assert.equal((await bot(daemon.url, token.trimEnd()).get("/whoami")).json.code, "unauthorized")

    const refused = join(directory, "refused.token")
    assert.equal((await clients("add", "out-bot", "--keys", "mm", "--out", refused)).code, 1)
    assert.equal(existsSync(refused), false)
  })

  it("are in the ledger as they were set, each after who asked for it", async () => {
    const entries = await daemon.stop()
    const acts = entries.map(({ row }) => row).filter(({ kind }) => kind === "act")
    const sets = acts.flatMap((row, index) => (row["act"] === "client_set" ? [index] : []))
    assert.ok(sets.length >= 6, `${sets.length}`)
    for (const index of sets) {
      const before = acts.slice(0, index).findLast((row) => row["act"] === "asked")
      assert.equal(before?.["method"], "setClient")
      assert.match(String(before["by"]), /\w/)
    }
  })
})
