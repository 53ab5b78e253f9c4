import assert from "node:assert/strict"
import { join } from "node:path"
import { after, before, describe, it } from "node:test"

import { adminParams, botParams, type BotResults } from "../../src/link/calls/methods.ts"
import { serveLink, type LinkServer } from "../../src/link/server.ts"
import { connectRaw, type RawPeer } from "../support/link-peer.ts"
import { callOf, limitOrder, openTestVault, type TestVault } from "../support/open-test-vault.ts"

// What a gate in another's hands could say on the bot socket, besides what bots ask for.
describe("a gate that speaks for itself", () => {
  let test: TestVault
  let server: LinkServer
  let gate: RawPeer
  let token: string
  let lastId = 0
  before(async () => {
    test = await openTestVault()
    await test.addKey({ name: "mm", role: "agent" })
    await test.addKey({ name: "rich", role: "agent" })
    token = await test.addClient({ name: "bot", keys: ["mm"] })
    await test.addClient({ name: "rich-bot", keys: ["rich"] })
    const path = join(test.installation.stateDir, "bot.sock")
    const methods = test.bots
    server = await serveLink<typeof botParams, BotResults>({ path, params: botParams, methods })
    gate = await connectRaw(path)
  })
  after(async () => {
    gate.socket.destroy()
    await server.close()
    await test.remove()
  })

  async function say(method: string, params: string): Promise<string> {
    lastId += 1
    gate.send(`{"jsonrpc":"2.0","id":${lastId},"method":"${method}","params":${params}}\n`)
    return (await gate.line()) ?? ""
  }

  const call = () => callOf(token, limitOrder())

  it("is known to the vault by no more than a token", async () => {
    assert.match(await say("sign", JSON.stringify(call())), /"kind":"answer"/)
    for (const field of ["client", "client_name", "name", "clientName", "user", "as"]) {
      for (const method of Object.keys(botParams)) {
        const said = await say(method, JSON.stringify({ ...call(), [field]: "rich-bot" }))
        assert.match(said, /"code":-32602/, `${method} with ${field}`)
      }
    }
  })

  it("can't say that policy, checks or limits are done", async () => {
    for (const field of ["policy_ok", "allow", "checked", "rule", "policyHash", "skip", "force"]) {
      const said = await say("sign", JSON.stringify({ ...call(), [field]: true }))
      assert.match(said, /"code":-32602/, field)
    }
  })

  it("can't choose nonce, time or signer past the vault", async () => {
    for (const field of ["nonce", "expires_after", "expiresAfter", "nowMs", "signer", "target"]) {
      const said = await say("sign", JSON.stringify({ ...call(), [field]: 1 }))
      assert.match(said, /"code":-32602/, field)
    }
  })

  it("can't put fields in by the prototype", async () => {
    const text = JSON.stringify(call())
    for (const field of ['"__proto__":{"purpose":"forward"}', '"constructor":{}', '"toString":1']) {
      const said = await say("sign", `${text.slice(0, -1)},${field}}`)
      assert.match(said, /"code":-32602/, field)
    }
  })

  it("can't use another client's key with a token it has seen", async () => {
    const named = await say("sign", JSON.stringify({ ...call(), key: "rich" }))
    assert.match(named, /"code":"key_not_allowed"/)
    const { address } = test.vault.active().keys.get("rich")!
    const signer = callOf(token, limitOrder({ signer_address: address }))
    assert.match(await say("sign", JSON.stringify(signer)), /"code":"key_not_allowed"/)
  })

  it("can't reach what the admin socket does", async () => {
    for (const method of [
      ...Object.keys(adminParams),
      "hello",
      "toString",
      "__proto__",
      "export",
    ]) {
      // The bot socket has a freeze of its own, for clients with the right; see below.
      if (method === "health" || method === "freeze") continue
      assert.match(await say(method, "{}"), /"code":-32601/, method)
    }
  })

  it("can't freeze as the operator does: without a token, or cancels too", async () => {
    const freeze = { scope: "all", name: null, reason: "mine", cancels: false }
    for (const params of [freeze, { ...freeze, token }, {}]) {
      assert.match(await say("freeze", JSON.stringify(params)), /"code":-32602/)
    }
    const body = Buffer.from(JSON.stringify({ scope: "all", reason: "mine" })).toString("base64")
    assert.match(await say("freeze", JSON.stringify({ token, body })), /"code":"right_missing"/)
    assert.deepEqual(test.vault.active().freezes, [])
  })

  it("finds an identity in every call but those about no client's requests", () => {
    const aboutNobody = [
      ...["health", "gateSettings", "tokens", "alarmFacts", "heldInFull", "decided"],
      ...["outbox", "outboxReport"],
      ...["pricePoll", "polledPrices"], // of what venue.yaml says: test/unit/vault/operator/price-poll.test.ts
      ...["accountPoll", "polledAccount"], // of accounts that venue.yaml names
    ]
    for (const [method, schema] of Object.entries(botParams)) {
      assert.equal("token" in schema.shape, !aboutNobody.includes(method), method)
    }
  })
})
