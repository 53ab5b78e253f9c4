import assert from "node:assert/strict"
import { afterEach, beforeEach, describe, it } from "node:test"

import { adminParams } from "../../../../src/link/calls/methods.ts"
import { thawAsShown } from "../../../support/a-word.ts"
import {
  assertSigned,
  cancelPath,
  limitOrder,
  openTestVault,
  outcomeOf,
  type TestVault,
} from "../../../support/open-test-vault.ts"

const cancel = { order_id: "1" }
const reason = "a drill"
const everything = { scope: "all", name: null, reason, cancels: true } as const

let test: TestVault
let token: string
let guard: string

beforeEach(async () => {
  test = await openTestVault({ keys: "on_disk" })
  await test.addKey({ name: "mm", role: "agent" })
  await test.addKey({ name: "other", role: "agent" })
  token = await test.addClient({ name: "bot", keys: ["mm", "other"] })
  guard = await test.addClient({ name: "guard", keys: ["other"], rights: ["freeze"] })
})
afterEach(() => test.remove())

const order = async (key?: string): Promise<string> =>
  outcomeOf(await test.sign(token, limitOrder(), key === undefined ? {} : { key }))
const cancelling = async (): Promise<string> =>
  outcomeOf(await test.sign(token, cancel, { path: cancelPath }))

function post(body: unknown, by = guard) {
  const text = typeof body === "string" ? body : JSON.stringify(body)
  return test.bots.freeze({ token: by, body: Buffer.from(text).toString("base64") })
}

describe("a freeze by the operator", () => {
  it("stops all but what reduces risk, says so in checks too, and ends with a thaw", async () => {
    assertSigned(await test.sign(token, limitOrder()))
    const made = await test.admin.freeze(everything)
    assert.deepEqual([made.scope, made.by, made.cancels], ["all", "operator", true])
    assert.equal(await order(), "frozen")
    assert.equal(await order("other"), "frozen")
    const reducing = limitOrder({ flags: ["reduce_only"] })
    assertSigned(await test.sign(token, reducing))
    assertSigned(await test.sign(token, cancel, { path: cancelPath }))
    const checked = test.check(token, limitOrder())
    assert.equal(checked.kind === "answer" && checked.report.refusal?.code, "frozen")
    assert.deepEqual((await test.admin.status()).freezes, [made])

    assert.deepEqual(await thawAsShown(test, { scope: "all", name: null }), [])
    assert.equal(await order(), "signed")
  })

  it("takes no nonce of what it stops, and records the refusal", async () => {
    await test.admin.freeze(everything)
    const { address } = test.vault.active().keys.get("mm")!
    assert.equal(await order(), "frozen")
    assert.equal(test.vault.ledger.lastNonce(address), undefined)
    const [refused] = await test.vault.ledger.recentRefusals(1)
    assert.equal(refused?.row.refusal.code, "frozen")
  })

  it("stops one key or one client alone", async () => {
    await test.admin.freeze({ scope: "key", name: "mm", reason, cancels: true })
    assert.deepEqual([await order("mm"), await order("other")], ["frozen", "signed"])
    await test.admin.freeze({ scope: "client", name: "bot", reason, cancels: true })
    assert.equal(await order("other"), "frozen")
    assertSigned(await test.sign(guard, limitOrder()))
  })

  it("with no cancels stops these too, and a milder one doesn't open them again", async () => {
    await test.admin.freeze({ ...everything, cancels: false })
    assert.equal(await cancelling(), "frozen")
    assert.equal((await test.admin.freeze(everything)).cancels, false)
    const posted = await post({ scope: "all", reason: "mild" })
    assert.equal(posted.kind === "answer" && posted.freeze.cancels, false)
    assert.equal(await cancelling(), "frozen")
    await thawAsShown(test, { scope: "all", name: null })
    assert.equal(await cancelling(), "signed")
  })

  it("says who asked, and takes no name for it that a client or the command line could have", async () => {
    const by = "console/alice"
    assert.equal((await test.admin.freeze({ ...everything, by })).by, by)
    const { freeze } = adminParams
    for (const right of [by, "console/DOMAIN_x.y-z@host", `console/${"a".repeat(64)}`]) {
      assert.ok(freeze.safeParse({ ...everything, by: right }).success, right)
    }
    for (const wrong of [
      ...["bot", "operator", "", "console", "console/", "console/a/b", "heartbeats/a"],
      ...["console/a b", "console/\u202e", ` ${by}`, `${by}\n`, `console/${"a".repeat(65)}`],
    ]) {
      assert.ok(!freeze.safeParse({ ...everything, by: wrong }).success, wrong)
    }
  })

  it("refuses names that nobody has, and scopes that don't fit theirs", async () => {
    for (const scope of ["client", "key"] as const) {
      const frozen = test.admin.freeze({ scope, name: "nobody", reason, cancels: true })
      await assert.rejects(frozen, { code: "name_unknown" })
      const unnamed = test.admin.freeze({ scope, name: null, reason, cancels: true })
      await assert.rejects(unnamed, { code: "usage" })
    }
    const named = test.admin.freeze({ ...everything, name: "bot" })
    await assert.rejects(named, { code: "usage" })
    assert.deepEqual(test.vault.active().freezes, [])
  })

  it("survives a restart as it was", async () => {
    const made = await test.admin.freeze({ ...everything, cancels: false })
    const key = await test.admin.freeze({ scope: "key", name: "mm", reason, cancels: true })
    test = await test.reopen()
    assert.deepEqual((await test.admin.status()).freezes, [made, key])
    assert.equal(await cancelling(), "frozen")
    await thawAsShown(test, { scope: "all", name: null })
    test = await test.reopen()
    assert.deepEqual((await test.admin.status()).freezes, [key])
  })
})

describe("a thaw", () => {
  it("ends the named freeze alone, and tells what is left", async () => {
    await test.admin.freeze(everything)
    await test.admin.freeze({ scope: "client", name: "bot", reason, cancels: true })
    await test.admin.freeze({ scope: "key", name: "mm", reason, cancels: true })
    const left = await thawAsShown(test, { scope: "all", name: null })
    assert.deepEqual(
      left.map(({ scope }) => scope),
      ["client", "key"],
    )
    assert.equal(await order("other"), "frozen")
    assert.equal((await thawAsShown(test, { scope: "client", name: "bot" })).length, 1)
    assert.deepEqual([await order("mm"), await order("other")], ["frozen", "signed"])
  })

  it("ends all of them for everything, and none that there isn't", async () => {
    await test.admin.freeze(everything)
    await test.admin.freeze({ scope: "key", name: "mm", reason, cancels: true })
    assert.deepEqual(await thawAsShown(test), [])
    assert.equal(await order(), "signed")
  })

  it("ends the freeze that was shown, and none that took its place since", async () => {
    const shown = await test.admin.freeze(everything)
    const other = await test.admin.freeze({ scope: "key", name: "mm", reason, cancels: true })
    const now = await test.admin.freeze({ ...everything, reason: "keys may have leaked" })
    for (const freezes of [[shown], [other, shown], [{ ...now, reason: "mild" }]]) {
      const message = /has changed since it was shown; nothing was thawed/
      await assert.rejects(test.admin.thaw({ freezes }), { code: "usage", message })
      assert.deepEqual((await test.admin.status()).freezes, [other, now])
    }
    assert.deepEqual(await test.admin.thaw({ freezes: [now] }), [other])
    await assert.rejects(test.admin.thaw({ freezes: [now] }), { code: "usage" })
  })
})

describe("a freeze by a client", () => {
  it("with the right stops everything, another client, or a key", async () => {
    const posted = await post({ scope: "client", name: "bot", reason })
    assert.equal(posted.kind === "answer" && posted.freeze.by, "guard")
    assert.equal(await order(), "frozen")
    assertSigned(await test.sign(guard, limitOrder()))
    assert.equal((await post({ scope: "key", name: "other", reason })).kind, "answer")
    assert.equal(outcomeOf(await test.sign(guard, limitOrder())), "frozen")
    assert.equal((await post({ scope: "all", reason })).kind, "answer")
    assert.equal(await cancelling(), "signed")
  })

  it("without the right, or with a wrong token, stops nothing", async () => {
    const missing = await post({ scope: "all", reason }, token)
    assert.equal(missing.kind === "refused" && missing.refusal.code, "right_missing")
    const unknown = await post({ scope: "all", reason }, `cs_${"x".repeat(43)}`)
    assert.equal(unknown.kind === "refused" && unknown.refusal.code, "unauthorized")
    assert.deepEqual(test.vault.active().freezes, [])
  })

  for (const [what, body] of [
    ["isn't JSON", "{"],
    ["names a scope that there isn't", { scope: "none", reason }],
    ["has a name for all", { scope: "all", name: "bot", reason }],
    ["has no name for a client", { scope: "client", reason }],
    ["has no reason", { scope: "all" }],
    ["has an empty reason", { scope: "all", reason: "" }],
    ["has a reason of 201 characters", { scope: "all", reason: "x".repeat(201) }],
    ["names nobody", { scope: "client", name: "nobody", reason }],
    ["wants cancels stopped, which is an operator's", { scope: "all", reason, cancels: false }],
  ] as const) {
    it(`is refused when its body ${what}`, async () => {
      const answer = await post(body)
      assert.match(answer.kind === "refused" ? answer.refusal.code : "", /^invalid_/)
      assert.deepEqual(test.vault.active().freezes, [])
    })
  }

  it("takes a reason of 200 characters", async () => {
    assert.equal((await post({ scope: "all", reason: "x".repeat(200) })).kind, "answer")
  })
})
