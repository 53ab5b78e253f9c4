import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { maxFrameBytes } from "../../../src/link/wire.ts"
import { alarmsNow, maxAlarms } from "../../../src/conditions/alarms.ts"
import type { AlarmName } from "../../../src/contract/alarms.ts"
import { sandboxProfile, sandboxUrl } from "../../../src/sandbox/profile.ts"
import { factsOf } from "../../../src/vault/status/facts.ts"
import { factsForGate, nothingForGate } from "../../../src/vault/status/for-gate.ts"
import type { StatusSources } from "../../../src/vault/status/sources.ts"
import { vaultWarnings } from "../../../src/vault/status/warnings.ts"
import type { Vault } from "../../../src/vault/vault.ts"
import { thawAsShown } from "../../support/a-word.ts"
import { alarmsIn } from "../../support/facts.ts"
import { openGuarded } from "../../support/guarded-vault.ts"
import { ledgerTime } from "../../support/fake-clock.ts"
import {
  assertSigned,
  limitOrder,
  openTestVault,
  type TestVault,
  type VaultAsk,
} from "../../support/open-test-vault.ts"

const allowAll = "policy: mm\nrules:\n  - {name: all, endpoints: [placeOrder]}\n"
const webhook = "https://hooks.example/a-token"
const notify = `notify: {webhook: "${webhook}"}\n`
const dayMs = 86_400_000
const nothingTold = { said: "[]", noted: [] }
const nobodyIsTold = { targets: [], facts: null, unknown: [], log: "[]", test: 0 }

type Ready = TestVault & { readonly token: string }

async function openWithBot(t: TestContext, ask: VaultAsk = {}): Promise<Ready> {
  const test = await openTestVault({ policies: [allowAll], settings: notify, ...ask })
  t.after(() => test.remove())
  await test.addKey({ name: "main", role: "wallet" })
  await test.addKey({ name: "mm", role: "agent", wallet: "main" })
  return { ...test, token: await test.addClient({ name: "bot", keys: ["mm"] }) }
}

/** The subjects of the alarms of these names, by their name. */
function told(vault: StatusSources, ...names: readonly AlarmName[]): readonly string[] {
  return alarmsIn(vault)
    .filter(({ name }) => names.includes(name))
    .map(({ name, subject }) => `${name} ${subject}`.trim())
}

function factOf(vault: StatusSources, name: AlarmName): string {
  return alarmsIn(vault).find((each) => each.name === name)?.fact ?? ""
}

describe("the vault's alarms", () => {
  it("are none while all is well, and go with the webhook", async (t) => {
    const { vault, bots } = await openWithBot(t)
    assert.deepEqual(alarmsIn(vault), [])
    const targets = [{ name: "webhook", form: "json", severity: "warning", url: webhook }]
    assert.deepEqual((await bots.alarmFacts(nothingTold)).targets, targets)
  })

  it("aren't looked at without a webhook", async (t) => {
    const { admin, bots, vault } = await openWithBot(t, { settings: "" })
    await admin.freeze({ scope: "all", name: null, reason: "a drill", cancels: true })
    assert.equal(alarmsIn(vault).length, 1)
    assert.deepEqual(await bots.alarmFacts(nothingTold), nobodyIsTold)
  })

  it("tell what is frozen and by whom, and not the reason that somebody wrote", async (t) => {
    const { admin, vault } = await openWithBot(t)
    const freeze = { reason: "<!channel> click here", cancels: true }
    await admin.freeze({ scope: "all", name: null, ...freeze })
    await admin.freeze({ scope: "client", name: "bot", ...freeze })
    assert.deepEqual(told(vault, "frozen"), ["frozen all", "frozen client bot"])
    const open = "cancels and reduce-only orders stay open"
    assert.equal(factOf(vault, "frozen"), `Everything is frozen by operator; ${open}`)
    assert.doesNotMatch(JSON.stringify(alarmsIn(vault)), /channel/)
    await thawAsShown({ admin, vault }, { scope: "all", name: null })
    assert.deepEqual(told(vault, "frozen"), ["frozen client bot"])
  })

  it("tell that the keys are locked, and what unlocks them", async (t) => {
    const { admin, vault } = await openWithBot(t, { keys: "on_disk" })
    assert.deepEqual(told(vault, "not_signing"), [])
    await admin.lock()
    assert.deepEqual(told(vault, "not_signing"), ["not_signing locked"])
    assert.match(alarmsIn(vault)[0]?.advice ?? "", /countersign unlock/)
    const doubted = { ...vault.ledger.clock, doubt: () => "It leapt." }
    const still = { ...vault, ledger: { ...vault.ledger, clock: doubted } }
    assert.deepEqual(told(still, "not_signing", "clock_stops_orders"), [
      "not_signing locked",
      "clock_stops_orders",
    ])
  })

  it("tell of a limit from 80 % on, and when it is spent", async (t) => {
    const limits = `limits:
  - {name: few, count: requests, window: 1h, max: "5"}
  - {name: seen, count: requests, window: 1h, max: "5", mode: observe}\n`
    const test = await openWithBot(t, { policies: [allowAll + limits] })
    const spend = async (): Promise<readonly string[]> => {
      assertSigned(await test.sign(test.token, limitOrder()))
      return told(test.vault, "limit_nearly_spent", "limit_spent")
    }
    for (let n = 0; n < 3; n += 1) assert.deepEqual(await spend(), [])
    assert.deepEqual(await spend(), ["limit_nearly_spent mm/few"])
    assert.deepEqual(await spend(), ["limit_spent mm/few", "limit_nearly_spent mm/few"])
  })

  it("tell that a rate budget is at what is kept for cancels", async (t) => {
    const settings = `${notify}budgets: {address: off, cancel_reserve: 95%}\n`
    const test = await openWithBot(t, { settings })
    const spend = async (count: number): Promise<readonly string[]> => {
      for (let n = 0; n < count; n += 1) assertSigned(await test.sign(test.token, limitOrder()))
      return told(test.vault, "budget_at_reserve")
    }
    assert.deepEqual(await spend(59), [])
    assert.deepEqual(await spend(1), ["budget_at_reserve ip"])
    const off = await openWithBot(t, { settings: `${notify}budgets: {ip: off}\n` })
    const { address } = off.vault.active().keys.get("mm")!
    off.vault.ledger.budgets.fill("address", address)
    const [subject] = told(off.vault, "budget_at_reserve")
    assert.equal(subject, `budget_at_reserve address ${address}`)
  })

  it("tell of an account under a guard that isn't read for a minute longer than idle", async (t) => {
    const { test, clock, readEmpty } = await openGuarded(t)
    const { vault } = test()
    const unread = () => told(vault, "account_unread")
    clock.pass(90_000)
    assert.deepEqual(unread(), [])
    clock.pass(1)
    assert.deepEqual(unread(), ["account_unread main"])
    await readEmpty()
    clock.pass(90_000)
    assert.deepEqual(unread(), [])
    clock.pass(60_000)
    const fact = "The account main wasn't read for 2 min, so guards free no room"
    assert.equal(factOf(vault, "account_unread"), fact)
  })

  it("tell for an hour that an account showed more than could be, and until a reading agrees", async (t) => {
    const { test, clock, begin, tell, readEmpty } = await openGuarded(t)
    const { vault, bots } = test()
    const contradicted = () => told(vault, "account_contradiction")
    const show = async (quantity: string) => {
      await tell(await begin(), { orders: [], positions: [{ symbol: "1", quantity }] })
    }
    await readEmpty()
    assert.deepEqual(contradicted(), [])
    await show("10")
    assert.deepEqual(contradicted(), ["account_contradiction main"])
    assert.equal((await bots.accountPoll()).dueInMs, 2_000, "it is read again soon")
    clock.pass(3_600_000)
    assert.deepEqual(contradicted(), ["account_contradiction main"])
    await show("10")
    assert.deepEqual(contradicted(), [])
    await show("-1")
    assert.deepEqual(contradicted(), ["account_contradiction main"])
    await show("-1")
    clock.pass(3_539_999)
    assert.deepEqual(contradicted(), ["account_contradiction main"])
    clock.pass(30_001)
    assert.deepEqual(contradicted(), [])
    assert.equal((await bots.accountPoll()).dueInMs, 2_000)
  })

  it("tell of no account that nobody trades under a guard", async (t) => {
    const { test, clock } = await openGuarded(t)
    await test().admin.revokeClient({ name: "bot" })
    clock.pass(600_000)
    assert.deepEqual(told(test().vault, "account_unread"), [])
  })

  it("tell of an agent from agent_warning on, and within a day", async (t) => {
    const test = await openWithBot(t, { settings: `${notify}agent_warning: 3d\n` })
    const { vault } = test
    await test.addKey({ name: "old", role: "agent", wallet: "main" })
    const nowMs = 1_000 * dayMs
    const at = { ...vault, now: () => ledgerTime(nowMs) }
    const names = ["agent_ends", "agent_ends_today"] as const
    const approve = async (name: string, leftMs: number): Promise<readonly string[]> => {
      const record = { record: "rec_1" }
      await vault.act({ act: "agent_approved", name, expires_at: nowMs + leftMs, ...record })
      return told(at, ...names)
    }
    assert.deepEqual(told(at, ...names), [])
    assert.deepEqual(await approve("mm", 3 * dayMs + 1), [])
    assert.deepEqual(await approve("mm", 3 * dayMs), ["agent_ends mm"])
    assert.match(factOf(at, "agent_ends"), /ends at 1972-09-30T[0-9:]{8}Z$/)
    assert.deepEqual(await approve("mm", dayMs), ["agent_ends mm"])
    const both = ["agent_ends_today mm", "agent_ends mm"]
    assert.deepEqual(await approve("mm", dayMs - 1), both)
    assert.deepEqual(await approve("mm", -1), both)
    await approve("old", 1)
    await vault.act({ act: "agent_revoked", name: "old", record: "rec_2" })
    assert.deepEqual(told(at, ...names), both)
  })

  it("tell of a client's token from agent_warning on, and from its end on", async (t) => {
    const { vault, admin } = await openWithBot(t, { settings: `${notify}agent_warning: 3d\n` })
    const [bot] = vault.active().clients
    const nowMs = 1_000 * dayMs
    const at = { ...vault, now: () => ledgerTime(nowMs) }
    const endingIn = async (leftMs: number): Promise<readonly string[]> => {
      await vault.act({ act: "client_set", client: { ...bot!, expires_at: nowMs + leftMs } })
      return told(at, "token_ends", "token_ended")
    }
    assert.deepEqual(told(at, "token_ends", "token_ended"), [], "it never ends")
    assert.deepEqual(await endingIn(3 * dayMs + 1), [])
    assert.deepEqual(await endingIn(3 * dayMs), ["token_ends bot"])
    assert.match(factOf(at, "token_ends"), /ends at 1972-09-30T[0-9:]{8}Z$/)
    assert.deepEqual(await endingIn(1), ["token_ends bot"])
    assert.deepEqual(await endingIn(0), ["token_ended bot", "token_ends bot"])
    assert.match(
      factOf(at, "token_ended"),
      /^The token of the client bot has ended: .*cancels too$/,
    )
    await admin.revokeClient({ name: "bot" })
    assert.deepEqual(told(at, "token_ends", "token_ended"), [])
  })

  it("tell of what has ended before what will, where there are too many", async (t) => {
    const { vault } = await openWithBot(t)
    const [bot] = vault.active().clients
    const nowMs = vault.now()
    const ending = (name: string, expires_at: number) => ({ ...bot!, name, expires_at })
    const soon = Array.from({ length: 150 }, (_, n) => ending(`soon-${n}`, nowMs + dayMs))
    const clients = [...soon, ending("ended", nowMs - 1)]
    const crowded = { ...vault, active: () => ({ ...vault.active(), clients }) }
    assert.deepEqual(told(crowded, "token_ended"), ["token_ended ended"])
  })

  it("tell of a client from when its last key can sign no more, and no other", async (t) => {
    const test = await openWithBot(t)
    const { vault } = test
    await test.addKey({ name: "other", role: "agent", wallet: "main" })
    await test.addClient({ name: "two", keys: ["mm", "other"] })
    const nowMs = 1_000 * dayMs
    const at = { ...vault, now: () => ledgerTime(nowMs) }
    const keyless = () => told(at, "client_without_keys")
    const approve = (name: string, expiresAtMs: number) =>
      vault.act({ act: "agent_approved", name, expires_at: expiresAtMs, record: "r" })
    assert.deepEqual(keyless(), [])
    await approve("mm", nowMs + 1)
    assert.deepEqual(keyless(), [])
    await approve("mm", nowMs)
    assert.deepEqual(keyless(), ["client_without_keys bot"])
    await vault.act({ act: "agent_revoked", name: "other", record: "r" })
    assert.deepEqual(keyless(), ["client_without_keys bot", "client_without_keys two"])
    const warned = vaultWarnings(at).map(({ message }) => message)
    assert.equal(warned.filter((each) => each.includes("has no key left that signs")).length, 2)
    await vault.act({ act: "client_revoked", name: "two" })
    assert.deepEqual(keyless(), ["client_without_keys bot"])
  })

  it("tell that the venue's clock is off from 2 s on, and when orders stop for it", async (t) => {
    const { vault } = await openWithBot(t, { settings: `${notify}max_venue_offset: 5s\n` })
    const off = (ms: number): readonly string[] => {
      vault.venueClock.tell({ leastMs: ms, mostMs: ms + 500 })
      return told(vault, "clock_off", "clock_stops_orders")
    }
    assert.deepEqual(off(1_999), [])
    assert.deepEqual(off(2_000), ["clock_off"])
    assert.deepEqual(off(5_000), ["clock_off"])
    assert.deepEqual(off(5_001), ["clock_stops_orders", "clock_off"])
  })

  it("tell that the disk fills below twice what is kept free, and that it is low", async (t) => {
    const { vault } = await openWithBot(t, { settings: `${notify}ledger: {min_free: 1GiB}\n` })
    const least = 1_073_741_824
    const free = (freeBytes: number | undefined): readonly string[] => {
      const isLow = freeBytes === undefined || freeBytes < least
      const low = isLow ? { freeBytes, minFreeBytes: least } : undefined
      const disk = { ...vault.disk, freeBytes: () => freeBytes, low }
      return told({ ...vault, disk }, "disk_filling", "disk_low")
    }
    assert.deepEqual(free(2 * least), [])
    assert.deepEqual(free(2 * least - 1), ["disk_filling"])
    assert.deepEqual(free(least), ["disk_filling"])
    assert.deepEqual(free(least - 1), ["disk_low", "disk_filling"])
    assert.deepEqual(free(undefined), ["disk_low", "disk_filling"])
    const careless = await openWithBot(t)
    const disk = { ...careless.vault.disk, freeBytes: () => 0 }
    assert.deepEqual(told({ ...careless.vault, disk }, "disk_filling", "disk_low"), [])
  })

  it("tell of another host that has been silent for more than five minutes", async (t) => {
    const { vault } = await openWithBot(t)
    const silent = (ms: number): readonly string[] => {
      const replica = { silence: () => new Map([["b", ms]]), look: () => Promise.resolve("") }
      return told({ ...vault, ledger: { ...vault.ledger, replica } }, "host_silent")
    }
    assert.deepEqual(silent(300_000), [])
    assert.deepEqual(silent(300_001), ["host_silent b"])
    assert.deepEqual(told(vault, "host_silent"), [])
  })

  it("tell of a price that is stale or waits for a word, and of none that never was", async (t) => {
    const unpriced = `  - {id: 77, name: NEW-PERP, market: perp, quote: USD}\n`
    const venue = sandboxProfile({ url: sandboxUrl, asOf: new Date() })
    const withSymbol = venue.replace(/^symbols:\n/m, `symbols:\n${unpriced}`)
    const test = await openWithBot(t, { venue: withSymbol })
    const { vault } = test
    assert.deepEqual(told(vault, "price_stale"), [])
    assert.equal(vault.active().profile.symbols.byName.has("NEW-PERP"), true)
    const late = () => ledgerTime(Date.now() + 400 * dayMs)
    const stale = told({ ...vault, now: late }, "price_stale")
    assert.ok(stale.includes("price_stale BTC-PERP"))
    assert.ok(!stale.includes("price_stale NEW-PERP"))
    const feeder = await test.addClient({ name: "feed", keys: ["mm"], rights: ["prices"] })
    const feed = async (value: string): Promise<void> => {
      const prices = [{ symbol: "BTC-PERP", value }]
      const body = Buffer.from(JSON.stringify({ prices })).toString("base64")
      assert.equal((await test.bots.prices({ token: feeder, body })).kind, "answer")
    }
    const names = ["price_stale", "price_held_back", "price_drift", "price_unconfirmed"] as const
    const alarms = () => names.flatMap((name) => told(vault, name))
    await test.admin.setPrice({ symbol: "BTC-PERP", value: "100" })
    assert.deepEqual(alarms(), [])
    await feed("120")
    assert.deepEqual(alarms(), ["price_held_back BTC-PERP"])
    await test.admin.setPrice({ symbol: "BTC-PERP", value: "100" })
    await feed("150")
    assert.deepEqual(alarms(), ["price_unconfirmed BTC-PERP"])
    assert.match(factOf(vault, "price_unconfirmed"), /waits for an operator's word/)
    const drifted = {
      ...{
        symbol_id: 1,
        value: "121",
        as_of: Date.now(),
        by: "feed",
        confirmed: true,
      },
      drift: { anchor: "100", anchor_at: 0, allowance: "0", held: null },
    }
    vault.hear({ act: "price_set", ...drifted })
    assert.deepEqual(alarms(), ["price_drift BTC-PERP"])
    vault.hear({ act: "price_set", ...drifted, value: "120" })
    assert.deepEqual(alarms(), [], "half of max_drift is no alarm yet")
  })

  it("tell after five minutes that the files on disk aren't those in force, and nothing that is in them", async (t) => {
    const { vault } = await openWithBot(t)
    const nowMs = vault.now()
    const differs = (ageMs: number): StatusSources => ({
      ...vault,
      now: () => nowMs,
      differ: () => ({
        message: "countersign.yaml:3:1: canary",
        fix: "countersign policy check",
        sinceMs: ledgerTime(nowMs - ageMs),
      }),
    })
    assert.deepEqual(told(differs(299_999), "files_differ"), [])
    assert.deepEqual(told(differs(300_000), "files_differ"), ["files_differ"])
    assert.doesNotMatch(JSON.stringify(alarmsIn(differs(300_000))), /canary/)
  })

  it("fit a line of the socket however many there are, and then the gravest are told", async (t) => {
    const { vault } = await openWithBot(t)
    const many = Array.from({ length: 500 }, (_, n) => `${n}`.padStart(64, "n"))
    const freezes = many.map((name) => ({
      ...{ scope: "client", name, reason: "", by: name, cancels: true, since: 0 },
    }))
    const crowded = { ...vault, active: () => ({ ...vault.active(), freezes }) }
    const late = () => ledgerTime(Date.now() + 400 * dayMs)
    const vaultOfMany = { ...crowded, forGate: nothingForGate(), now: late } as unknown as Vault
    const kept = alarmsNow(factsOf(vaultOfMany))
    assert.equal(kept.length, maxAlarms)
    assert.ok(kept.every(({ severity }) => severity === "critical"))
    const now = factsForGate(nothingTold, vaultOfMany)
    assert.ok(Buffer.byteLength(JSON.stringify(now)) < maxFrameBytes / 2)
  })
})
