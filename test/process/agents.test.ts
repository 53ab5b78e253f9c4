import assert from "node:assert/strict"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import { Wallet } from "ethers"

import type { Rotation } from "../../src/commands/agent/rotate.ts"
import type { AcceptedOperation } from "../../src/commands/agent/send-signed.ts"
import type { AgentView } from "../../src/commands/agent/agents.ts"
import type { TypedOperation } from "../../src/contract/views.ts"
import type { KeyView } from "../../src/contract/bot-views.ts"
import { elsewhere, signTyped } from "../support/agent-keys.ts"
import { startBotDaemon, type BotDaemon } from "../support/bot-daemon.ts"
import { bot, limitOrder } from "../support/bot.ts"
import {
  countersign,
  countersignJson,
  makeInstallation,
  sandbox,
  type Ended,
  type Served,
} from "../support/countersign.ts"
import { bin } from "../support/published.ts"
import { startRelay, type Relay } from "../support/relay.ts"
import { needsTerminal, onTerminal, shellLine } from "../support/terminal.ts"
import { addClient } from "../support/trading-keys.ts"
import { enter } from "../support/typist.ts"

const orders = "/v1/trade/orders"
const dayMs = 86_400_000
const days = ["--valid-days", "30"]
const external = ["--wallet", elsewhere.address, "--external"]

describe("an agent key's life, with a daemon and the sandbox", { timeout: 180_000 }, () => {
  let venue: Served
  let relay: Relay
  let daemon: BotDaemon
  before(async () => {
    venue = await sandbox()
    relay = await startRelay(Number(new URL(venue.url).port))
    daemon = await startBotDaemon(["--venue", "sandbox", "--upstream", relay.url])
  })
  after(async () => {
    await daemon.remove()
    await relay.close()
    await venue.stop()
  })

  const agent = (...args: readonly string[]): Promise<Ended> =>
    countersign(["agent", ...args, "--dir", daemon.dir])
  const agentJson = <Answer>(...args: readonly string[]): Promise<Answer> =>
    countersignJson<Answer>(["agent", ...args, "--dir", daemon.dir])
  const statusOf = async (name: string): Promise<AgentView | undefined> =>
    (await agentJson<AgentView[]>("status")).find((each) => each.name === name)

  /** Places an order and tells what became of it, and who signed it. */
  async function order(token = daemon.token) {
    const client = bot(daemon.url, token)
    const signed = await client.post(`/sign${orders}`, limitOrder())
    const { status, json } = await client.post(orders, limitOrder())
    return { status, code: json.code, signer: signed.json["signer_address"] }
  }

  it("has no approval at first, so the venue refuses its orders", async () => {
    assert.equal((await order()).code, "90301")
    const mm = await statusOf("mm")
    assert.deepEqual([mm?.approval, mm?.days_left, mm?.expires_at], ["unknown", null, null])
  })

  it("says what stays unknown when the answer to an approval is lost", async () => {
    relay.interceptNext((toDaemon) => toDaemon.destroy())
    const { code, stderr } = await agent("approve", "mm", ...days)
    assert.equal(code, 1)
    assert.match(
      stderr,
      /It isn't known whether the venue accepted the approval of mm: it was sent, and no answer came\. The record \S+ is unknown\. .* run this again\.$/m,
    )
    assert.equal((await statusOf("mm"))?.approval, "unknown")
  })

  it("says so when the answer isn't the venue's", async () => {
    const page = "<html>not ours</html>"
    relay.interceptNext((toDaemon) => {
      toDaemon.write(`HTTP/1.1 200 OK\r\ncontent-length: ${page.length}\r\n\r\n${page}`)
    })
    const failed = await countersign([
      "agent",
      "approve",
      "mm",
      ...days,
      "--dir",
      daemon.dir,
      "--json",
    ])
    const { error } = JSON.parse(failed.stdout) as { error: { code: string; message: string } }
    assert.deepEqual([failed.code, error.code], [1, "outcome_unknown"])
    assert.match(error.message, /the answer \(HTTP 200\) doesn't say what became of it/)
  })

  it("is approved, and its orders are accepted", async () => {
    const approved = await agentJson<AcceptedOperation>(
      "approve",
      "mm",
      ...days,
      "--wallet",
      "main",
    )
    assert.deepEqual([approved.key.name, approved.key.approval], ["mm", "approved"])
    assert.ok(Math.abs((approved.key.expires_at ?? 0) - Date.now() - 30 * dayMs) < dayMs / 24)
    const placed = await order()
    assert.deepEqual([placed.status, placed.code], [200, "0"])
    const mm = await statusOf("mm")
    assert.equal(mm?.days_left, 29)
    assert.ok(mm.last_used !== null && mm.last_used > 0)
    const { stdout } = await agent("status")
    assert.match(stdout, /^NAME +ADDRESS +WALLET +APPROVAL +DAYS LEFT +LAST USED\nmm +0x/)
  })

  it("is told in the venue's own words what it refuses, and with 3", async () => {
    const answer = '{"code":"90999","msg":"no\\u0007t now","data":{},"trace_code":"t"}'
    relay.interceptNext((toDaemon) => {
      const head = `HTTP/1.1 400 Bad Request\r\ncontent-length: ${answer.length}\r\n\r\n`
      toDaemon.write(head + answer)
    })
    const { code, stderr } = await agent("approve", "mm", ...days)
    assert.equal(code, 3)
    assert.match(
      stderr,
      /refused the approval of mm \(record \S+\): HTTP 400, code 90999: "no\\u0007t now"/,
    )
    assert.equal((await statusOf("mm"))?.approval, "approved")
  })

  it("is made and approved in one go", async () => {
    const generated = await agent("approve", "solo", "--generate", "--wallet", "main", ...days)
    assert.equal(generated.code, 0, generated.stderr)
    assert.match(generated.stderr, /^solo is made: agent key, address 0x/)
    assert.match(generated.stdout, /^solo is approved until 20\S+Z \(record /)
  })

  it("is approved by a wallet that never comes here", async () => {
    const printed = await agent("approve", "far", "--generate", ...external, ...days)
    assert.equal(printed.code, 0, printed.stderr)
    assert.match(printed.stderr, /agent approve --dir \S+ --complete \S+ --signature-file FILE/)
    const operation = JSON.parse(printed.stdout) as TypedOperation
    const file = join(daemon.dir, "..", "signature")
    writeFileSync(file, `"${signTyped(operation)}"\n`)

    const strangers = signTyped(operation, new Wallet(`0x${"02".repeat(32)}`))
    const complete = ["approve", "--complete", operation.record]
    const refused = await countersign(["agent", ...complete, "--dir", daemon.dir], `${strangers}\n`)
    assert.equal(refused.code, 2)
    assert.match(refused.stderr, /This signature is that of 0x/)
    assert.equal((await statusOf("far"))?.approval, "unknown")

    const { key } = await agentJson<AcceptedOperation>(...complete, "--signature-file", file)
    assert.deepEqual([key.name, key.approval, key.wallet], ["far", "approved", elsewhere.address])
    const token = await addClient(daemon.dir, "far-bot", ["--keys", "far"])
    assert.equal((await order(token)).code, "0")
    const again = await agent(...complete, "--signature-file", file)
    assert.match(again.stderr, /accepted this approval already/)
  })

  it("is approved with a signature that is pasted on the terminal", needsTerminal, async () => {
    const out = join(daemon.dir, "..", "typed-data.json")
    const words = [process.execPath, bin, "agent", "approve", "pasted", "--generate", ...external]
    const line = `${shellLine([...words, ...days, "--dir", daemon.dir])} > ${shellLine([out])}`
    const shown = await onTerminal(line, [
      {
        after: "The wallet's signature",
        // What is to be signed is known once it is asked for.
        get keys() {
          const typed_data = JSON.parse(readFileSync(out, "utf8")) as TypedOperation["typed_data"]
          return `${signTyped({ typed_data })}${enter}`
        },
      },
    ])
    assert.equal(shown.code, 0, shown.screen)
    assert.equal((await statusOf("pasted"))?.approval, "approved")
  })

  it("is renewed", async () => {
    const until = (await statusOf("mm"))?.expires_at ?? 0
    const { key } = await agentJson<AcceptedOperation>("renew", "mm", "--valid-days", "60")
    assert.ok((key.expires_at ?? 0) > until + 29 * dayMs)
    assert.equal((await order()).code, "0")
  })

  it("is prepared, and takes the other's place when the rotation goes on", async () => {
    const prepared = await agentJson<Rotation>("rotate", "mm", "--prepare", ...days)
    assert.deepEqual([prepared.to?.name, prepared.to?.approval], ["mm-2", "approved"])
    assert.equal((await order()).signer, daemon.keys.agent.address)

    const rotated = await agentJson<Rotation>("rotate", "mm")
    assert.deepEqual([rotated.from.approval, rotated.to?.name], ["revoked", "mm-2"])
    assert.deepEqual([rotated.clients, rotated.revoked], [["bot"], true])
    const placed = await order()
    assert.deepEqual([placed.code, placed.signer], ["0", prepared.to?.address])
    const old = await daemon.bot.post(orders, limitOrder(), { "Countersign-Key": "mm" })
    assert.equal(old.json.code, "key_not_allowed")
  })

  it("has nothing left to rotate after that", async () => {
    const { stdout, code } = await agent("rotate", "mm")
    assert.equal(code, 0)
    assert.match(stdout, /^mm is revoked: neither this daemon nor the venue takes it any more\.$/m)
  })

  it("goes on with a rotation where it stopped", async () => {
    relay.interceptNext((toDaemon) => toDaemon.destroy())
    const first = await agent("rotate", "mm-2", ...days)
    assert.equal(first.code, 1)
    assert.match(first.stderr, /^mm-3 is made/)
    assert.equal((await statusOf("mm-3"))?.approval, "unknown")

    let answers = 0
    const cutSecond = (): void =>
      relay.interceptNext((toDaemon) => {
        answers += 1
        toDaemon.destroy()
      })
    const approved = await agentJson<Rotation>("rotate", "mm-2", "--prepare", ...days)
    assert.equal(approved.to?.name, "mm-3")
    cutSecond()
    const second = await agent("rotate", "mm-2")
    assert.deepEqual([second.code, answers], [1, 1])
    assert.match(
      second.stderr,
      /mm-3 takes the place of mm-2, which never signs again; switched: bot\./,
    )
    assert.match(second.stderr, /isn't known whether the venue accepted the revocation of mm-2/)
    assert.equal((await statusOf("mm-2"))?.approval, "retired")
    assert.equal((await order()).code, "0")

    const third = await agentJson<Rotation>("rotate", "mm-2")
    assert.deepEqual([third.to, third.clients, third.from.approval], [null, [], "revoked"])
  })

  it("is revoked, and never signs again", async () => {
    const unasked = await agent("revoke", "mm-3")
    assert.deepEqual([unasked.code, unasked.stderr.includes("--yes")], [2, true])
    assert.equal((await order()).code, "0")
    await addClient(daemon.dir, "lone", ["--keys", "mm-3"])
    const revoked = await agent("revoke", "mm-3", "--yes")
    assert.match(revoked.stderr, /^Nothing else signs for lone\.$/m)
    assert.match(revoked.stdout, /^mm-3 is revoked and never signs again/)
    assert.equal((await order()).code, "agent_revoked")
    const again = await agent("revoke", "mm-3", "--yes")
    assert.match(again.stderr, /revoked already/)
    const listed = await countersign(["keys", "list", "--dir", daemon.dir])
    assert.match(listed.stdout, /^mm-3 .* revoked$/m)
    const { stdout } = await countersign(["status", "--dir", daemon.dir])
    assert.match(stdout, /The client lone has no key left that signs/)
  })

  it("is replaced even after its revocation, which gets the bots going again", async () => {
    const rotated = await agentJson<Rotation>("rotate", "mm-3", ...days)
    assert.deepEqual([rotated.to?.name, rotated.clients], ["mm-4", ["bot", "lone"]])
    assert.equal((await order()).code, "0")
  })

  const wrong: readonly (readonly [args: readonly string[], words: RegExp])[] = [
    [["approve", "mm-4"], /--valid-days/],
    [["approve", ...days], /Name the agent key/],
    [["approve", "mm-4", "--valid-days", "91"], /1 to 90/],
    [["approve", "mm-4", "--valid-days", "0"], /1 to 90/],
    [["approve", "mm-4", ...days, "--external"], /belong together/],
    [["approve", "mm-4", ...days, "--wallet", elsewhere.address], /belong together/],
    [["approve", "mm-4", ...days, "--wallet", "other"], /agent of main, not of other/],
    [["approve", "mm-4", ...days, "--signature-file", "f"], /--complete/],
    [["approve", "mm-4", "--complete", "rec_1"], /only the record and --signature-file/],
    [["rotate", "mm-4", "--to", "far", ...days], /can't take the place/],
    [["rotate", "main", ...days], /wallet key/],
    [["rotate", "far", ...days], /isn't held here\. Approve a new key.*--external/],
  ]
  for (const [args, words] of wrong) {
    it(`refuses agent ${args.join(" ").replace(elsewhere.address, "0x…")}`, async () => {
      const { code, stderr } = await agent(...args)
      assert.equal(code, 2, stderr)
      assert.match(stderr, words)
    })
  }

  it("isn't sent anywhere while the venue can't be reached", async () => {
    await relay.close()
    const { code, stderr } = await agent("approve", "mm-4", ...days)
    assert.equal(code, 4)
    assert.match(stderr, /couldn't be reached, so the approval of mm-4 wasn't sent/)
  })
})

describe("an agent key's life without a daemon", { timeout: 120_000 }, () => {
  let venue: Served
  before(async () => void (venue = await sandbox()))
  after(() => venue.stop())

  it("is the same, and takes the passphrase", async (t) => {
    const installation = await makeInstallation(["--venue", "sandbox", "--upstream", venue.url])
    t.after(() => installation.remove())
    const inDir = ["--dir", installation.dir]
    const wallet = ["--name", "main", "--role", "wallet"]
    await countersignJson<KeyView>(["keys", "generate", ...inDir, ...wallet])
    const generate = ["--generate", "--wallet", "main", ...days]
    const approved = await countersignJson<AcceptedOperation>([
      "agent",
      "approve",
      "mm",
      ...generate,
      ...inDir,
    ])
    assert.equal(approved.key.approval, "approved")
    const venueFile = join(installation.dir, "venue.yaml")
    const text = readFileSync(venueFile, "utf8")
    writeFileSync(venueFile, text.replace(/ {2}revokeAgent:\n.*\n.*\n/, ""))

    const undisclosed = await countersign(["agent", "revoke", "mm", "--yes", ...inDir])
    assert.equal(undisclosed.code, 3)
    assert.match(undisclosed.stderr, /add to venue\.yaml.*endpoints: \{revokeAgent: \{signing: B/)

    const rotated = await countersign(["agent", "rotate", "mm", ...days, ...inDir])
    assert.equal(rotated.code, 0, rotated.stderr)
    assert.match(rotated.stderr, /add to venue\.yaml/)
    assert.match(rotated.stdout, /^mm-2 signs in place of mm\.$/m)
    assert.match(rotated.stdout, /^mm never signs here again, but the venue takes it until 20/m)
  })
})
