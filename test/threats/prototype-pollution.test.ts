import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"

import { parseConfig } from "../../src/vault/config/config.ts"
import { parsePolicies } from "../../src/vault/policy/file/policy-file.ts"
import { builtinProfile } from "../../src/venue/builtin-profile.ts"
import { parseProfile } from "../../src/venue/profile/profile-file.ts"
import { limitOrder, openTestVault, outcomeOf, type TestVault } from "../support/open-test-vault.ts"

const keys = ["__proto__", "constructor", "prototype"]

describe("a key that JavaScript gives a meaning", () => {
  let test: TestVault
  let token: string
  before(async () => {
    test = await openTestVault()
    await test.addKey({ name: "mm", role: "agent" })
    token = await test.addClient({ name: "bot", keys: ["mm"] })
  })
  after(async () => {
    await test.remove()
    const plain: Record<string, unknown> = {}
    for (const name of ["limit", "quantity", "allowTypeB", "flags"]) {
      assert.equal(plain[name], undefined, `${name} came to every object`)
    }
  })

  it("is refused at every depth of a body, also written as escapes", async () => {
    const order = JSON.stringify(limitOrder()).slice(0, -1)
    for (const key of keys) {
      const escaped = key.replaceAll(/./g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`)
      for (const name of [key, escaped]) {
        const evil = `{"${name}":{"limit":1,"quantity":"9","flags":["reduce_only"]}}`
        const bodies = [
          `${order},"${name}":{"quantity":"9"}}`,
          `${order},"conditional":${evil}}`,
          `${order},"tpsl":{"a":[${evil}]}}`,
          `[${evil}]`,
          evil,
        ]
        for (const body of bodies) {
          assert.equal(outcomeOf(await test.sign(token, body)), "invalid_json", body)
        }
      }
    }
  })

  it("is no field of an order, though every object has one of that name", async () => {
    for (const name of ["toString", "valueOf", "hasOwnProperty", "__defineGetter__"]) {
      const answer = await test.sign(token, limitOrder({ [name]: "x" }))
      assert.equal(outcomeOf(answer), "invalid_request", name)
    }
    const without = await test.sign(token, { toString: 1 })
    assert.equal(outcomeOf(without), "invalid_request")
  })

  it("finds no endpoint, key or client", async () => {
    for (const name of [...keys, "toString", "hasOwnProperty"]) {
      assert.equal(
        outcomeOf(await test.sign(token, limitOrder(), { path: name })),
        "unknown_endpoint",
      )
      assert.equal(
        outcomeOf(await test.sign(token, limitOrder(), { key: name })),
        "key_not_allowed",
      )
      assert.equal(outcomeOf(await test.sign(name, limitOrder())), "unauthorized")
      const added = test.addClient({ name: "other", keys: [name] })
      await assert.rejects(added, { code: "name_unknown" })
    }
  })

  it("is refused in every configuration file", () => {
    for (const key of keys) {
      const policy = { file: "p.yaml", text: `policy: p\n${key}: {rules: []}\n` }
      assert.equal(parsePolicies([policy], builtinProfile).ok, false)
      const inside = { file: "p.yaml", text: `policy: p\nrules:\n  - {name: r, ${key}: {a: b}}\n` }
      assert.equal(parsePolicies([inside], builtinProfile).ok, false)
      assert.equal(parseConfig(`keystore: {backend: memory}\n${key}: {a: b}\n`, "c.yaml").ok, false)
      assert.equal(parseProfile(`extends: builtin\n${key}: {a: b}\n`, "v.yaml").ok, false)
    }
  })
})
