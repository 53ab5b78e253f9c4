import assert from "node:assert/strict"
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"

import type { BotResults } from "../../../../src/link/calls/methods.ts"
import { pathsOf } from "../../../../src/vault/config/installation.ts"
import { reload } from "../../../../src/vault/operator/files-in-force.ts"
import { byCount, limitedPolicy } from "../../../support/limited-vault.ts"
import {
  assertSigned,
  limitOrder,
  openTestVault,
  outcomeOf,
  permissivePolicy,
  writePolicies,
  type TestVault,
  type VaultAsk,
} from "../../../support/open-test-vault.ts"
import { readLedger } from "../../../support/read-ledger.ts"

const closedPolicy = "policy: closed\nrules: [{name: none, endpoints: [revokeAgent]}]\n"

async function openWithBot(t: TestContext, ask: VaultAsk = {}) {
  const test = await openTestVault(ask)
  t.after(() => test.remove())
  await test.addKey({ name: "mm", role: "agent" })
  const token = await test.addClient({ name: "bot", keys: ["mm"] })
  return { test, sign: () => test.sign(token, limitOrder()) }
}

describe("a reload", () => {
  it("puts the files on disk in force, and names the set", async (t) => {
    const { test, sign } = await openWithBot(t)
    const before = test.vault.active().policyHash
    assert.deepEqual(await reload(test.vault), { policy_hash: before, warnings: warningsNow(test) })
    await writePolicies(test.installation, [closedPolicy])
    assertSigned(await sign())
    const { policy_hash: policyHash } = await reload(test.vault)
    assert.notEqual(policyHash, before)
    assert.equal(policyHash, test.vault.active().policyHash)
    assert.equal(outcomeOf(await sign()), "policy_denied")
  })

  it("keeps keys, clients, prices and raises", async (t) => {
    const { test } = await openWithBot(t, { policies: [limitedPolicy(byCount)] })
    await test.admin.setPrice({ symbol: "BTC-PERP", value: "65000" })
    await test.admin.raiseLimit({ limit: "cap", to: "11", forMs: 60_000, reason: "test" })
    const { keys, clients, prices, raises } = test.vault.active()
    appendFileSync(join(pathsOf(test.installation).policiesDir, "0.yaml"), "# changed\n")
    await reload(test.vault)
    const after = test.vault.active()
    assert.deepEqual(
      [after.keys, after.clients, after.prices, after.raises],
      [keys, clients, prices, raises],
    )
  })

  it("is recorded with the files, so that they can run again", async (t) => {
    const { test } = await openWithBot(t)
    await writePolicies(test.installation, [closedPolicy])
    await reload(test.vault)
    const { policyHash, texts } = test.vault.active()
    const stored = await test.vault.ledger.set(policyHash)
    assert.deepEqual(stored, { hash: policyHash, files: texts })
  })
})

type Breaking = (files: {
  readonly config: string
  readonly venue: string
  readonly policies: string
}) => void

describe("a reload of files with a mistake", () => {
  const mistakes: readonly (readonly [string, Breaking, RegExp])[] = [
    [
      "in a policy",
      ({ policies }) => appendFileSync(join(policies, "0.yaml"), "rulez: []\n"),
      /\/policies\/0\.yaml:\d+:1: unknown key "rulez"/,
    ],
    [
      "of form",
      ({ policies }) => writeFileSync(join(policies, "0.yaml"), "policy: [\n"),
      /\/policies\/0\.yaml:\d+:\d+: /,
    ],
    [
      "in a policy that is new",
      ({ policies }) => writeFileSync(join(policies, "new.yaml"), "policy: x\nrules: [{}]\n"),
      /\/policies\/new\.yaml:2:9: /,
    ],
    [
      "in venue.yaml",
      ({ venue }) => appendFileSync(venue, "sybmols: []\n"),
      /\/venue\.yaml:\d+:1: /,
    ],
    [
      "in countersign.yaml",
      ({ config }) => appendFileSync(config, "\nstop_before: soon\n"),
      /\/countersign\.yaml:\d+:\d+: /,
    ],
    ["since one is gone", ({ venue }) => rmSync(venue), /venue\.yaml doesn't exist/],
  ]
  for (const [what, spoil, says] of mistakes) {
    it(`${what} keeps the old set whole, and says where`, async (t) => {
      const { test, sign } = await openWithBot(t)
      const { configFile, venueFile, policiesDir } = pathsOf(test.installation)
      const before = test.vault.active()
      const count = await test.vault.ledger.count()
      // What is valid beside the mistake counts as little.
      writeFileSync(join(policiesDir, "deny.yaml"), closedPolicy, { mode: 0o600 })
      appendFileSync(configFile, "expires_in: {trade: 1s}\n")
      spoil({ config: configFile, venue: venueFile, policies: policiesDir })
      await assert.rejects(reload(test.vault), { message: says })
      assert.equal(test.vault.active(), before)
      assert.equal(await test.vault.ledger.count(), count)
      const answer = await sign()
      assertSigned(answer)
      assert.ok(answer.expiresAfter >= test.vault.now() + 10_000)
    })
  }

  it("tells all of them at once", async (t) => {
    const { test } = await openWithBot(t)
    const { configFile, policiesDir } = pathsOf(test.installation)
    appendFileSync(join(policiesDir, "0.yaml"), "rulez: []\n")
    appendFileSync(configFile, "lissten: {}\n")
    await assert.rejects(reload(test.vault), {
      code: "config_invalid",
      message:
        /countersign\.yaml:\d+:1: unknown key "lissten"; did you mean "listen"\?\n.*0\.yaml:\d+:1: unknown key "rulez"; did you mean "rules"\?$/,
    })
  })
})

describe("a reload of what the daemon was started with", () => {
  const other = (text: string, from: RegExp, to: string) => {
    assert.match(text, from)
    return text.replace(from, to)
  }
  const changes: readonly (readonly [string, string, (text: string) => string])[] = [
    ["listen", "config", (text) => `${text}listen: {port: 8421}\n`],
    ["listen", "config", (text) => `${text}listen: {host: "::1"}\n`],
    ["allowed_hosts", "config", (text) => `${text}allowed_hosts: [bots.internal]\n`],
    ["keystore", "config", (text) => other(text, /backend: memory/, "backend: keystore")],
    ["reload_on_change", "config", (text) => `${text}reload_on_change: true\n`],
    [
      "base_url",
      "venue",
      (text) => other(text, /base_url: \S+/, "base_url: https://venue.example"),
    ],
    ["base_url", "venue", (text) => other(text, /base_url: \S+/, "")],
  ]
  for (const [name, file, change] of changes) {
    it(`refuses another ${name} with a sentence, and keeps the old set`, async (t) => {
      const { test, sign } = await openWithBot(t)
      const { configFile, venueFile } = pathsOf(test.installation)
      const path = file === "config" ? configFile : venueFile
      const before = test.vault.active()
      const text = readFileSync(path, "utf8")
      writeFileSync(path, change(text))
      await assert.rejects(reload(test.vault), {
        code: "usage",
        message: `${name} can't change while the daemon runs; restart it, or put the old value back. The old files stay in force.`,
      })
      assert.equal(test.vault.active(), before)
      assertSigned(await sign())
      writeFileSync(path, text)
      await reload(test.vault)
    })
  }

  it("takes another expires_in, max_age and symbol", async (t) => {
    const { test, sign } = await openWithBot(t)
    const { configFile, venueFile } = pathsOf(test.installation)
    appendFileSync(configFile, "expires_in: {trade: 1s}\nprices: {max_age: 5s}\n")
    appendFileSync(venueFile, "  - {id: 9, name: NEW-PERP, market: perp, quote: USD}\n")
    await reload(test.vault)
    const answer = await sign()
    assertSigned(answer)
    assert.ok(answer.expiresAfter <= test.vault.now() + 1_000 + 1_000)
    assert.equal((await test.admin.listPrices()).at(-1)?.symbol, "NEW-PERP")
  })
})

describe("200 requests among 50 reloads", () => {
  const versions = 50
  /** Every second one refuses, each with words of its own: refusals in the same words are one record. */
  const policyOf = (version: number): string =>
    `${permissivePolicy}${version % 2 === 0 ? `# ${version}` : `deny: [{name: v${version}, endpoints: [placeOrder]}]`}\n`

  it("are each decided by one set, and never by one older than the last reload that had returned", async (t) => {
    const { test, sign } = await openWithBot(t, { policies: [policyOf(0)] })
    const hashes = [test.vault.active().policyHash]
    const asked: { readonly returned: number; readonly answer: Promise<BotResults["sign"]> }[] = []
    let returned = 0
    const ask = () => asked.push({ returned, answer: sign() })
    for (let version = 1; version <= versions; version++) {
      await writePolicies(test.installation, [policyOf(version)])
      ask()
      const reloading = reload(test.vault)
      ask()
      await Promise.race([reloading, test.vault.ledger.count()])
      ask()
      hashes.push((await reloading).policy_hash)
      returned = version
      ask()
    }
    const answers = await Promise.all(asked.map(({ answer }) => answer))
    await test.close()
    assert.equal(new Set(hashes).size, versions + 1)

    const hashOf = recordedHashes(test)
    const sets = answers.map(({ record }) => hashes.indexOf(hashOf.get(record ?? "") ?? ""))
    for (const [index, used] of sets.entries()) {
      const least = asked[index]?.returned ?? Infinity
      assert.ok(used === least || used === least + 1, `set ${used} after reload ${least}`)
    }
    assert.deepEqual(
      answers.map(outcomeOf),
      sets.map((used) => (used % 2 === 0 ? "signed" : "policy_denied")),
    )
    assert.equal(answers.length, 200)
  })

  it("count in a limit once each, also those of keys that came meanwhile", async (t) => {
    const limit = "{name: cap, endpoints: [placeOrder], count: requests, window: 1h, max: 1000}"
    const { test, sign } = await openWithBot(t, { policies: [limitedPolicy(limit)] })
    // A long history, so that counting it takes a while.
    for (const answer of await Promise.all(Array.from({ length: 500 }, sign))) assertSigned(answer)
    let signed = 500
    for (let round = 0; round < 20; round++) {
      const reloading = reload(test.vault)
      for (let turn = 0; turn < round; turn++) await test.vault.ledger.count()
      const name = `key${round}`
      await test.addKey({ name, role: "agent" })
      const token = await test.addClient({ name, keys: [name] })
      for (const answer of [sign(), test.sign(token, limitOrder())]) assertSigned(await answer)
      signed += 2
      await reloading
      assert.equal((await test.admin.listLimits())[0]?.used, String(signed))
    }
  })
})

describe("reloads at once", () => {
  it("end with the files that were there last", async (t) => {
    const { test } = await openWithBot(t)
    const file = join(pathsOf(test.installation).policiesDir, "0.yaml")
    for (let round = 0; round < 8; round++) {
      const reloads = [1, 2, 3, 4].map((each) => {
        writeFileSync(file, `${permissivePolicy}# ${round} ${each}\n`)
        return reload(test.vault)
      })
      await Promise.all(reloads)
      const inForce = test.vault.active().texts.find(({ name }) => name.endsWith("/0.yaml"))
      assert.match(inForce?.text ?? "", new RegExp(`# ${round} 4\n$`))
    }
  })

  it("go on after one that failed", async (t) => {
    const { test } = await openWithBot(t)
    const before = test.vault.active().policyHash
    await writePolicies(test.installation, ["policy: [\n"])
    const failing = [reload(test.vault), reload(test.vault)]
    for (const each of failing) await assert.rejects(each, { code: "config_invalid" })
    await writePolicies(test.installation, [closedPolicy])
    assert.notEqual((await reload(test.vault)).policy_hash, before)
  })
})

function warningsNow(test: TestVault): readonly string[] {
  assert.equal(test.vault.differ(), undefined)
  return [
    "No approval of the agent key mm went through this daemon; it signs, and the venue decides.",
  ]
}

/** The set that decided each request and refusal, by record. */
function recordedHashes({ installation }: TestVault): ReadonlyMap<string, string> {
  const rows = readLedger(pathsOf(installation).ledgerFile)
  return new Map(rows.map(({ id, row }) => [id, row["policy_hash"] as string]))
}
