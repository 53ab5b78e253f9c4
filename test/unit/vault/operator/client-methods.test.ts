import assert from "node:assert/strict"
import { beforeEach, afterEach, describe, it } from "node:test"

import type { ClientView } from "../../../../src/contract/views.ts"
import { clientView } from "../../../../src/vault/status/views.ts"
import { ledgerTime } from "../../../support/fake-clock.ts"
import {
  approvePath,
  assertSigned,
  limitOrder,
  openTestVault,
  outcomeOf,
  type TestVault,
} from "../../../support/open-test-vault.ts"
import { entriesOf } from "../../../support/admin-of.ts"
import { recordOf } from "../../../support/ledger-ask.ts"

const hourMs = 3_600_000

describe("a client that is set", () => {
  let test: TestVault
  let token: string
  beforeEach(async () => {
    test = await openTestVault()
    await test.addKey({ name: "main", role: "wallet" })
    await test.addKey({ name: "mm", role: "agent", wallet: "main" })
    await test.addKey({ name: "old", role: "agent", wallet: "main" })
    const rights = ["freeze"] as const
    token = await test.addClient({ name: "bot", keys: ["mm", "main"], rights, allowTypeB: true })
  })
  afterEach(() => test.remove())

  const bot = async (): Promise<ClientView> => (await test.admin.listClients())[0]!
  const whoami = async () => {
    const answer = await test.bots.whoami({ token })
    assert.ok(answer.kind === "answer")
    const { keys, default_key: key, rights, allow_type_b: mayTypeB } = answer.whoami
    return { keys: keys.map(({ name }) => name), key, rights, mayTypeB }
  }

  it("has what is given, and keeps the rest and its token", async () => {
    const before = { keys: ["mm", "main"], key: "mm", rights: ["freeze"], mayTypeB: true }
    assert.deepEqual(await whoami(), before)
    const { name } = await test.admin.setClient({ name: "bot", rights: ["prices", "heartbeat"] })
    assert.equal(name, "bot")
    const rights = ["prices", "heartbeat"]
    assert.deepEqual(await whoami(), { ...before, rights })
    await test.admin.setClient({ name: "bot", keys: ["main", "mm", "main"] })
    assert.deepEqual(await whoami(), { ...before, rights, keys: ["main", "mm"], key: "main" })
    await test.admin.setClient({ name: "bot", allowTypeB: false, rights: [] })
    assert.deepEqual(await whoami(), {
      ...{ keys: ["main", "mm"], key: "main", rights: [], mayTypeB: false },
    })
    await test.admin.setClient({ name: "bot" })
    assert.deepEqual((await whoami()).keys, ["main", "mm"])
  })

  it("has no right and no wallet key from the moment on that they are taken", async () => {
    const freeze = () =>
      test.bots.freeze({ token, body: Buffer.from(`{"reason":"x"}`).toString("base64") })
    await test.admin.setClient({ name: "bot", rights: [], allowTypeB: false })
    assert.equal(outcomeOf(await freeze()), "right_missing")
    const byWallet = await test.sign(token, {}, { path: approvePath, key: "main" })
    assert.ok(byWallet.kind === "refused")
    assert.equal(byWallet.refusal.code, "invalid_request", "the body is read first")
    const order = await test.sign(token, limitOrder(), { key: "main" })
    assert.ok(order.kind === "refused" && order.refusal.code === "key_not_allowed")
    assert.match(order.refusal.message, /the client bot doesn't have --allow-type-b/)
    assertSigned(await test.sign(token, limitOrder()))
  })

  it("is recorded as it is then", async () => {
    await test.admin.setClient({ name: "bot", keys: ["mm"], expiresInMs: hourMs })
    const { expires_at: endMs } = await bot()
    const entries = await entriesOf(test, { kind: "act" })
    const set = JSON.parse(entries.at(-1)?.row ?? "") as Record<string, unknown>
    assert.equal(set["act"], "client_set")
    const { token_hash: tokenHash, ...client } = set["client"] as Record<string, unknown>
    assert.match(String(tokenHash), /^0x[0-9a-f]{64}$/)
    assert.deepEqual(client, {
      ...{ name: "bot", keys: ["mm"], rights: ["freeze"], allow_type_b: true, expires_at: endMs },
    })
  })

  it("is renewed from now on, and keeps its end when it gets another token or other keys", async () => {
    assert.deepEqual([(await bot()).expires_at, (await bot()).expired], [null, false])
    const fromMs = test.vault.now()
    const set = await test.admin.setClient({ name: "bot", expiresInMs: hourMs })
    const toMs = test.vault.now()
    assert.ok(set.expires_at !== null && !set.expired)
    assert.ok(set.expires_at >= fromMs + hourMs && set.expires_at <= toMs + hourMs)
    await test.admin.setClient({ name: "bot", keys: ["mm"] })
    const { token: next } = await test.admin.rotateToken({ name: "bot" })
    assert.equal((await bot()).expires_at, set.expires_at)
    assertSigned(await test.sign(next, limitOrder()))
    assert.equal(outcomeOf(await test.sign(token, limitOrder())), "unauthorized")
    const sooner = await test.admin.setClient({ name: "bot", expiresInMs: 1_000 })
    assert.ok((sooner.expires_at ?? 0) < set.expires_at, "an operator may shorten it too")
  })

  it("has expired from the very moment of its end on, by the vault's time", async () => {
    const { expires_at: endMs } = await test.admin.setClient({ name: "bot", expiresInMs: hourMs })
    const at = (nowMs: number) =>
      clientView(test.vault.active().clients[0]!, ledgerTime(nowMs)).expired
    assert.deepEqual([at((endMs ?? 0) - 1), at(endMs ?? 0)], [false, true])
  })

  it("has no key that isn't there or never signs again, and stays as it was then", async () => {
    await test.vault.act({ act: "agent_revoked", name: "old", record: "rec_1" })
    const set = (keys: string[]) => test.admin.setClient({ name: "bot", keys })
    await assert.rejects(set(["nn"]), { code: "name_unknown", message: /There is no key nn/ })
    await assert.rejects(set(["old"]), { code: "usage", message: /old never signs again/ })
    assert.deepEqual((await bot()).keys, ["mm", "main"])
  })

  it("stays revoked, whatever else an operator asks of it at the same time", async () => {
    const { admin } = test
    await Promise.allSettled([
      admin.setClient({ name: "bot", rights: [] }),
      admin.revokeClient({ name: "bot" }),
      admin.setClient({ name: "bot", rights: ["freeze"], expiresInMs: hourMs }),
      admin.rotateToken({ name: "bot" }),
    ])
    assert.equal((await bot()).revoked, true)
    assert.equal(outcomeOf(await test.sign(token, limitOrder())), "unauthorized")
    const anew = { name: "bot", keys: ["mm"], rights: [], allowTypeB: false }
    await assert.rejects(admin.addClient(anew), { code: "name_taken" })
  })

  it("isn't one that is revoked, nor one that isn't there", async () => {
    await test.admin.revokeClient({ name: "bot" })
    const set = (name: string) => test.admin.setClient({ name, expiresInMs: hourMs })
    await assert.rejects(set("bot"), { code: "usage", message: /revoked for good/ })
    await assert.rejects(set("bto"), { code: "name_unknown" })
    assert.equal((await bot()).revoked, true)
  })
})

describe("a token that is no client's any more", () => {
  for (const { how, end } of [
    { how: "replaced", end: (test: TestVault) => test.admin.rotateToken({ name: "bot" }) },
    { how: "revoked", end: (test: TestVault) => test.admin.revokeClient({ name: "bot" }) },
  ]) {
    it(`lets the gate say what became of what was signed before it was ${how}, and does nothing else`, async (t) => {
      const test = await openTestVault()
      t.after(() => test.remove())
      await test.addKey({ name: "mm", role: "agent" })
      const token = await test.addClient({ name: "bot", keys: ["mm"] })
      const neighbour = await test.addClient({ name: "neighbour", keys: ["mm"] })
      const forward = async (by: string) => {
        const signed = await test.sign(by, limitOrder(), { purpose: "forward" })
        assertSigned(signed)
        return signed.record
      }
      const [own, foreign] = [await forward(token), await forward(neighbour)]
      await end(test)

      const outcome = { kind: "accepted", status: 200, code: "0" } as const
      const report = async (record: string) =>
        outcomeOf(await test.bots.report({ token, record, outcome }))
      assert.equal(await report(foreign), "unknown_record")
      assert.notEqual(await report(own), "unauthorized")
      const stored = await recordOf(test.vault.ledger, own, test.vault.now())
      assert.equal(stored?.state, "accepted")
      assert.equal(outcomeOf(await test.sign(token, limitOrder())), "unauthorized")
      assert.equal(outcomeOf(await test.bots.record({ token, id: own })), "unauthorized")
    })
  }
})
