import assert from "node:assert/strict"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"
import { fileURLToPath } from "node:url"

import { adminParams, botParams } from "../../src/link/calls/methods.ts"
import { toHex } from "../../src/std/bytes.ts"
import type { Keyring } from "../../src/vault/keyring/keyring.ts"
import { signRequest } from "../../src/vault/request/sign-request.ts"
import type { Vault } from "../../src/vault/vault.ts"
import {
  approval,
  approvePath,
  cancelPath,
  callOf,
  limitOrder,
  openTestVault,
  venueWithOpenCancels,
  outcomeOf,
} from "../support/open-test-vault.ts"

const digest = `0x${"ab".repeat(32)}`
/** What wallets' interfaces call what they sign, and what decides about it. */
const names = ["digest", "hash", "message", "typedData", "typed_data", "types", "domain"]
const more = ["primaryType", "raw", "data", "action_hash", "actionHash", "tag", "struct"]
const all = [...names, ...more]

/** Those that name a set of configuration files: 64 hex digits without 0x, and nothing signs them. */
const hashesOfFiles = ["acceptPolicy hash", "reload hash", "rollback hash"]

const source = fileURLToPath(new URL("../../src", import.meta.url))

function sourcesWith(text: string): readonly string[] {
  return readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .filter((name) => readFileSync(join(source, name), "utf8").includes(text))
    .sort()
}

describe("a digest or typed data that the caller brings", () => {
  it("is a parameter of no method on either socket", () => {
    const examples: Readonly<Record<string, object>> = {
      ...Object.fromEntries(Object.keys(botParams).map((name) => [name, callOf("t", {})])),
    }
    for (const [method, schema] of Object.entries({ ...adminParams, ...botParams })) {
      for (const name of all) {
        const isOfFiles = hashesOfFiles.includes(`${method} ${name}`)
        assert.equal(name in schema.shape, isOfFiles, `${method} ${name}`)
        const parsed = schema.safeParse({ ...examples[method], [name]: digest })
        assert.equal(parsed.success, false, `${method} ${name}`)
      }
    }
    const methods = [...Object.keys(botParams), ...Object.keys(adminParams)]
    assert.deepEqual(
      methods.filter((name) => /sign|hash|digest|typed/i.test(name)),
      ["sign", "signBatch"],
    )
  })

  it("is refused under every path that wallets know", async (t) => {
    const test = await openTestVault()
    t.after(() => test.remove())
    await test.addKey({ name: "main", role: "wallet" })
    const token = await test.addClient({ name: "bot", keys: ["main"], allowTypeB: true })
    for (const path of ["eth_sign", "eth_signTypedData_v4", "personal_sign", "sign", "digest"]) {
      for (const prefix of ["/v1/", "/", "/v1/trade/", ""]) {
        const answer = await test.sign(token, { hash: digest }, { path: `${prefix}${path}` })
        assert.equal(outcomeOf(answer), "unknown_endpoint")
      }
    }
  })

  it("is an unknown field of every documented body", async (t) => {
    const test = await openTestVault()
    t.after(() => test.remove())
    const wallet = await test.addKey({ name: "main", role: "wallet" })
    const agent = await test.addKey({ name: "mm", role: "agent", wallet: "main" })
    const token = await test.addClient({ name: "bot", keys: ["main"], allowTypeB: true })
    for (const name of all) {
      const order = await test.sign(token, limitOrder({ [name]: digest }))
      assert.equal(outcomeOf(order), "invalid_request", name)
      const body = approval(agent.address, wallet.address, { [name]: digest })
      const account = await test.sign(token, body, { path: approvePath })
      assert.equal(outcomeOf(account), "invalid_request", name)
    }
  })

  it("is hashed, not signed, where the body isn't documented", async (t) => {
    const test = await openTestVault({ venue: venueWithOpenCancels() })
    t.after(() => test.remove())
    await test.addKey({ name: "main", role: "wallet" })
    const token = await test.addClient({ name: "bot", keys: ["main"], allowTypeB: true })
    const signed: string[] = []
    const { keyring } = test.vault
    const sign: Keyring["sign"] = (name, made) => {
      signed.push(toHex(made))
      return keyring.sign(name, made)
    }
    const vault: Vault = { ...test.vault, keyring: { ...keyring, sign } }
    const call = callOf(token, { digest, order_id: "1" }, { path: cancelPath })
    assert.equal(outcomeOf(await signRequest(call, vault)), "signed")
    assert.equal(signed.length, 1)
    assert.notEqual(signed[0], digest)
  })

  it("could come from one file alone: no other makes a digest, and these sign", () => {
    assert.deepEqual(sourcesWith("as Digest"), [join("venue", "signing-hash.ts")])
    assert.deepEqual(sourcesWith("keyring.sign("), [
      join("vault", "agents", "operator-request.ts"),
      join("vault", "request", "fill-in.ts"),
    ])
    assert.deepEqual(sourcesWith("signChecked("), [
      join("commands", "doctor", "live", "agent-lines.ts"), // with a key that is thrown away
      join("vault", "keyring", "assert-signs.ts"), // a digest of no venue's domain
      join("vault", "keyring", "keyring.ts"),
    ])
    assert.deepEqual(sourcesWith("curve.sign("), [join("vault", "keyring", "keyring.ts")])
    assert.deepEqual(sourcesWith("secp256k1.sign("), [join("vault", "keyring", "curve.ts")])
    assert.deepEqual(sourcesWith("ecdsaSign("), [join("vault", "keyring", "curve.ts")])
  })
})
