import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { vaultFamilies } from "../../../src/conditions/vault-families.ts"
import { errorCodes } from "../../../src/gate/http/problem.ts"
import { maxFrameBytes } from "../../../src/link/wire.ts"
import type { ActiveSet } from "../../../src/vault/active/active-set.ts"
import { denialReasons } from "../../../src/vault/policy/terms.ts"
import { measuresOf, mostNamed } from "../../../src/vault/status/facts.ts"
import type { StatusSources } from "../../../src/vault/status/sources.ts"
import { builtinEndpoints } from "../../../src/venue/builtin-profile.ts"
import { ledgerTime } from "../../support/fake-clock.ts"
import {
  cancelPath,
  limitOrder,
  openTestVault,
  ordersPath,
  type TestVault,
  type VaultAsk,
} from "../../support/open-test-vault.ts"
import { seededRandom } from "../../support/seeded-random.ts"

const name = "countersign_"
const allowAll = "policy: mm\nrules:\n  - {name: all, endpoints: [placeOrder]}\n"

async function openWithBot(t: TestContext, ask: VaultAsk = {}) {
  const test = await openTestVault({ policies: [allowAll], ...ask })
  t.after(() => test.remove())
  await test.addKey({ name: "main", role: "wallet" })
  await test.addKey({ name: "mm", role: "agent", wallet: "main" })
  const token = await test.addClient({ name: "bot", keys: ["mm"], rights: ["metrics"] })
  return { ...test, token }
}

/** The values of a number's series, by their labels. */
async function valuesOf(
  { vault }: { readonly vault: StatusSources },
  metric: string,
): Promise<Readonly<Record<string, number>>> {
  const family = vaultFamilies(await measuresOf(vault)).find((each) => each.name === name + metric)
  assert.ok(family !== undefined && family.type !== "histogram", metric)
  return Object.fromEntries(family.series.map(([labels, value]) => [labels.join(" "), value]))
}

async function countsOf(
  { vault }: { readonly vault: StatusSources },
  metric: string,
): Promise<readonly number[]> {
  const family = vaultFamilies(await measuresOf(vault)).find((each) => each.name === name + metric)
  assert.ok(family?.type === "histogram", metric)
  return family.series.map(([, { counts }]) => counts.reduce((sum, count) => sum + count, 0))
}

describe("the vault's metrics", () => {
  it("are for clients with the right alone", async (t) => {
    const test = await openWithBot(t)
    const other = await test.addClient({ name: "other", keys: ["mm"], rights: ["prices"] })
    const refused = await test.bots.metrics({ token: other })
    assert.ok(refused.kind === "refused" && refused.refusal.code === "right_missing")
    const unknown = await test.bots.metrics({ token: "cs_nobody" })
    assert.ok(unknown.kind === "refused" && unknown.refusal.code === "unauthorized")
    assert.equal((await test.bots.metrics({ token: test.token })).kind, "answer")
  })

  it("count decisions, also of a batch, and time every stage of a request that was signed", async (t) => {
    const test = await openWithBot(t)
    const { token } = test
    await test.sign(token, limitOrder())
    await test.sign(token, limitOrder({ price: "x" }))
    await test.sign(token, {}, { path: cancelPath })
    await test.sign(token, {}, { path: "/v1/nothing" })
    const requests = [{ path: ordersPath, body: limitOrder() }, { path: 7 }]
    const body = Buffer.from(JSON.stringify({ requests })).toString("base64")
    await test.bots.signBatch({ token, body })
    assert.deepEqual(await valuesOf(test, "decisions_total"), {
      "bot placeOrder allowed ": 2,
      "bot placeOrder refused invalid_request": 1,
      "bot cancelOrder refused no_rule_covers_endpoint": 1,
      "bot unknown refused unknown_endpoint": 1,
      "bot unknown refused invalid_request": 1,
    })
    const [parsed, ...later] = await countsOf(test, "sign_stage_duration_seconds")
    assert.ok(parsed !== undefined && parsed >= 4)
    assert.deepEqual(later, [3, 2, 2])
    const [commits = 0] = await countsOf(test, "ledger_commit_duration_seconds")
    assert.ok(commits > 0)
    assert.deepEqual(await countsOf(test, "ledger_commit_entries"), [commits])
  })

  it("tell what is used of a limit, by whoever has used most", async (t) => {
    const limited = `${allowAll}limits: [{name: few, count: requests, window: 1h, max: "4", per: client}]\n`
    const test = await openWithBot(t, { policies: [limited] })
    const other = await test.addClient({ name: "other", keys: ["mm"] })
    assert.deepEqual(await valuesOf(test, "limit_used_ratio"), { "mm few enforce": 0 })
    await test.sign(other, limitOrder())
    for (let n = 0; n < 3; n += 1) await test.sign(test.token, limitOrder())
    assert.deepEqual(await valuesOf(test, "limit_used_ratio"), { "mm few enforce": 0.75 })
  })

  it("tell how the rate budgets stand, and nothing of those that are off", async (t) => {
    const test = await openWithBot(t, {
      settings: "budgets: {cancel_reserve: 10%, address: off}\n",
    })
    await test.sign(test.token, limitOrder())
    assert.deepEqual(await valuesOf(test, "budget_max_weight"), { "ip ": 1_200 })
    assert.deepEqual(await valuesOf(test, "budget_used_weight"), { "ip ": 1 })
    assert.deepEqual(await valuesOf(test, "budget_cancel_reserve_weight"), { "ip ": 120 })
  })

  it("tell the budget of each address that a key acts for", async (t) => {
    const test = await openWithBot(t, { settings: "budgets: {ip: off}\n" })
    await test.sign(test.token, limitOrder())
    const { keys } = test.vault.active()
    const used = await valuesOf(test, "budget_used_weight")
    assert.equal(used[`address ${keys.get("mm")?.address ?? ""}`], 1)
    assert.equal(used[`address ${keys.get("main")?.address ?? ""}`], 0)
  })

  it("tell what is frozen", async (t) => {
    const test = await openWithBot(t)
    assert.deepEqual(await valuesOf(test, "frozen"), { "all ": 0 })
    const freeze = { reason: "a drill", cancels: true }
    await test.admin.freeze({ scope: "client", name: "bot", ...freeze })
    assert.deepEqual(await valuesOf(test, "frozen"), { "all ": 0, "client bot": 1 })
    await test.admin.freeze({ scope: "all", name: null, ...freeze })
    assert.deepEqual(await valuesOf(test, "frozen"), { "all ": 1, "client bot": 1 })
  })

  it("tell when tokens end, of those that do and whose clients aren't revoked", async (t) => {
    const test = await openWithBot(t)
    assert.deepEqual(await valuesOf(test, "token_end_timestamp_seconds"), {})
    const [bot] = test.vault.active().clients
    for (const name of ["later", "gone"]) {
      await test.addClient({ name, keys: ["mm"], expiresInMs: 1_000 })
    }
    await test.vault.act({ act: "client_set", client: { ...bot!, expires_at: 86_400_500 } })
    await test.admin.revokeClient({ name: "gone" })
    const ends = await valuesOf(test, "token_end_timestamp_seconds")
    assert.deepEqual(Object.keys(ends), ["bot", "later"], "what ends first comes first")
    assert.equal(ends["bot"], 86_400.5)
  })

  it("tell keys, their locks and until when they are approved, but for those that have ended", async (t) => {
    const test = await openWithBot(t, { keys: "on_disk" })
    await test.addKey({ name: "old", role: "agent", wallet: "main" })
    const record = { record: "rec_1" }
    await test.vault.act({ act: "agent_approved", name: "mm", expires_at: 86_400_500, ...record })
    await test.vault.act({ act: "agent_approved", name: "old", expires_at: 1, ...record })
    await test.vault.act({ act: "agent_revoked", name: "old", ...record })
    assert.deepEqual(await valuesOf(test, "key_info"), {
      "mm agent approved": 1,
      "main wallet unknown": 1,
    })
    assert.deepEqual(await valuesOf(test, "agent_approval_end_timestamp_seconds"), { mm: 86_400.5 })
    assert.deepEqual(await valuesOf(test, "key_locked"), { mm: 0, main: 0 })
    assert.deepEqual(await valuesOf(test, "signs"), {
      all: 1,
      reduce_only: 0,
      cancels: 0,
      nothing: 0,
    })
    const ending = { "agent_expiring key mm reduce_only": 1 }
    assert.deepEqual(await valuesOf(test, "signing_reason"), ending)
    await test.admin.lock()
    assert.deepEqual(await valuesOf(test, "key_locked"), { mm: 1, main: 1 })
    assert.deepEqual(await valuesOf(test, "signs"), {
      all: 0,
      reduce_only: 0,
      cancels: 0,
      nothing: 1,
    })
    assert.deepEqual(await valuesOf(test, "signing_reason"), {
      "locked all  nothing": 1,
      ...ending,
    })
  })

  it("tell prices that can't be used, requests that wait, the venue's clock and the disk", async (t) => {
    const policies = [`${allowAll}hold: [{name: ask, endpoints: [placeOrder], ttl: 1h}]\n`]
    const test = await openWithBot(t, { policies, settings: "ledger: {min_free: 1GiB}\n" })
    await test.sign(test.token, limitOrder())
    assert.deepEqual(await valuesOf(test, "holds_pending"), { "": 1 })
    assert.deepEqual(await valuesOf(test, "files_differ"), { "": 0 })
    const differ = () => ({ message: "broken", fix: "", sinceMs: ledgerTime(0) })
    const vaultOfOthers = { ...test.vault, differ }
    assert.deepEqual(await valuesOf({ ...test, vault: vaultOfOthers }, "files_differ"), { "": 1 })

    assert.equal((await valuesOf(test, "reference_price_usable"))["BTC-PERP"], 1)
    const late = () => ledgerTime(Date.now() + 365 * 86_400_000)
    const stale = { ...test, vault: { ...test.vault, now: late } }
    assert.equal((await valuesOf(stale, "reference_price_usable"))["BTC-PERP"], 0)

    test.vault.venueClock.tell({ leastMs: -2_900, mostMs: -2_500 })
    assert.deepEqual(await valuesOf(test, "venue_clock_offset_seconds"), { "": -2.5 })
    assert.deepEqual(await valuesOf(test, "disk_min_free_bytes"), { "": 1_073_741_824 })
    assert.ok(((await valuesOf(test, "disk_free_bytes"))[""] ?? 0) > 0)
    const blind = { ...test.vault.disk, freeBytes: () => undefined }
    const unknown = { ...test, vault: { ...test.vault, disk: blind } }
    assert.deepEqual(await valuesOf(unknown, "disk_free_bytes"), {})
    assert.ok(((await valuesOf(test, "ledger_size_bytes"))[""] ?? 0) > 0)
  })

  it("have no more labels after 10,000 random requests than their lists allow", async (t) => {
    const test = await openWithBot(t)
    const random = seededRandom("metrics of the vault")
    const word = () => random.below(1e9).toString(36)
    const paths = builtinEndpoints.map(({ path }) => path)
    const randomOrder = () =>
      random.pick([{ [word()]: word() }, limitOrder({ symbol_id: random.below(9) }), word(), null])
    for (let hundred = 0; hundred < 100; hundred += 1) {
      const calls = Array.from({ length: 100 }, () => {
        const path = random.isOneIn(2) ? random.pick(paths) : `/v1/${word()}`
        const token = random.isOneIn(4) ? `cs_${word()}` : test.token
        return test.sign(token, randomOrder(), {
          ...{ path },
          ...(random.isOneIn(4) && { key: word() }),
          ...(random.isOneIn(9) && { expiresIn: word() }),
        })
      })
      await Promise.all(calls)
    }
    const operations = ["unknown", ...builtinEndpoints.map(({ id }) => id)]
    const reasons = ["", ...errorCodes, ...denialReasons]
    const decided = Object.keys(await valuesOf(test, "decisions_total"))
    assert.ok(decided.length > 20)
    for (const labels of decided) {
      const [client, operation = "-", result = "-", reason = "-"] = labels.split(" ")
      assert.equal(client, "bot")
      assert.ok(operations.includes(operation), operation)
      assert.ok(["allowed", "refused", "held"].includes(result), result)
      assert.ok(reasons.includes(reason), reason)
    }
  })

  it("fit a line of the socket when there is as much to tell as there can be", async (t) => {
    const test = await openWithBot(t, { settings: "budgets: {}\n" })
    const { decisions } = test.vault.metrics
    const longest = denialReasons.toSorted((a, b) => b.length - a.length)[0] ?? ""
    const data = {
      ...{ policy: null, rule: null, reason: longest },
      ...{ file: null, line: null, asked: null, allowed: null },
    }
    const refusal = { code: "policy_denied", message: "", data } as const
    for (let n = 0; n < 2_000; n += 1) {
      decisions.noted({
        client: `${n}`.padStart(64, "c"),
        operation: "adjustIsolatedMargin",
        refusal,
      })
    }
    const measures = await measuresOf({ ...test.vault, active: () => crowded(test) })
    const families = vaultFamilies(measures)
    for (const family of families) {
      assert.ok(family.series.length <= 1_010, `${family.name}: ${family.series.length}`)
    }
    const limits = families.find((each) => each.name === "countersign_limit_used_ratio")
    assert.equal(limits?.series.length, mostNamed)
    const bytes = Buffer.byteLength(JSON.stringify(measures))
    assert.ok(bytes < maxFrameBytes - 1_024, `${bytes} bytes`)
  })

  it("tell of the keys that end first where there are too many", async (t) => {
    const test = await openWithBot(t)
    const vault = { ...test.vault, active: () => crowded(test) }
    const ends = vaultFamilies(await measuresOf(vault)).find(({ name }) =>
      name.endsWith("_timestamp_seconds"),
    )
    assert.equal(ends?.series.length, mostNamed)
    assert.deepEqual(ends.series[0]?.[1], 1)
    assert.deepEqual(ends.series.at(-1)?.[1], mostNamed)
  })
})

/** Far more names than are told, each as long as it may be. */
function crowded({ vault }: Pick<TestVault, "vault">): ActiveSet {
  const set = vault.active()
  const many = Array.from({ length: 3 * mostNamed }, (_, n) => n + 1).toReversed()
  const named = (n: number) => `${n}`.padStart(64, "n")
  const [key] = set.keys.values()
  const [policy] = set.policies
  const symbol = set.profile.symbols.byName.get("BTC-PERP")
  if (key === undefined || policy === undefined || symbol === undefined) throw new Error("empty")
  const keys = many.map((n) => {
    const address = `0x${n.toString(16).padStart(40, "0")}` as typeof key.address // none signs
    return {
      ...key,
      name: named(n),
      address,
      approval: "approved",
      expires_at: n * 1_000,
    } as const
  })
  const limit = {
    ...{ name: "", definition: "", line: 1, mode: "enforce", per: "all" },
    max: { coefficient: 1n, scale: 0 },
  }
  const limits = many.map((n) => ({ ...limit, name: named(n) }))
  const symbols = many.map((n) => ({ ...symbol, id: n, name: named(n) }))
  const byId = new Map(symbols.map((each) => [each.id, each]))
  const freezes = many.map((n) => ({
    ...{ scope: "client", name: named(n), reason: "", by: "", cancels: true, since: 0 },
  }))
  const byName = new Map(keys.map((each) => [each.name, each]))
  return {
    ...{ ...set, keys: byName, usableKeys: byName },
    policies: [{ ...policy, name: named(1), limits: limits as unknown as typeof policy.limits }],
    profile: { ...set.profile, symbols: { ...set.profile.symbols, byId } },
    freezes: freezes as unknown as typeof set.freezes,
  }
}
