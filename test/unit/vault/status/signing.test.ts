import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"

import { mainVenueText } from "../../../../src/commands/init/init-texts.ts"
import { maxFrameBytes } from "../../../../src/link/wire.ts"
import { openSigning } from "../../../../src/vault/status/signing.ts"
import { Fault } from "../../../../src/std/fault.ts"
import { botMethods } from "../../../../src/vault/bot-methods.ts"
import type { Ledger } from "../../../../src/vault/ledger/ledger.ts"
import { checkRequest } from "../../../../src/vault/request/check-request.ts"
import { signingNow } from "../../../../src/vault/status/signing.ts"
import { inACommand, type StatusSources } from "../../../../src/vault/status/sources.ts"
import { ledgerTime } from "../../../support/fake-clock.ts"
import {
  callOf,
  cancelPath,
  checkOf,
  limitOrder,
  openTestVault,
  ordersPath,
  outcomeOf,
  type TestVault,
  type VaultAsk,
} from "../../../support/open-test-vault.ts"

const dayMs = 86_400_000

type Opened = TestVault & { readonly token: string }

async function open(t: TestContext, ask: VaultAsk = {}): Promise<Opened> {
  const test = await openTestVault({ keys: "on_disk", ...ask })
  t.after(() => test.remove())
  await test.addKey({ name: "main", role: "wallet" })
  await test.addKey({ name: "mm", role: "agent", wallet: "main" })
  return { ...test, token: await test.addClient({ name: "bot", keys: ["mm"] }) }
}

/** What is signed, and each reason as `code scope name: signs`. */
function told(vault: StatusSources): readonly [signs: string, ...reasons: readonly string[]] {
  const { signs, reasons } = signingNow(vault)
  const shown = reasons.map(
    (each) => `${each.code} ${each.scope} ${each.name ?? "-"}: ${each.signs}`,
  )
  return [signs, ...shown]
}

type Halting = Partial<
  Pick<Ledger["marks"], "waiting"> & Pick<Ledger["clock"], "doubt"> & Pick<Ledger, "isolated">
>

function halted<Parts extends { readonly ledger: Ledger }>(
  { ledger, ...parts }: Parts,
  { waiting, doubt, isolated }: Halting,
) {
  const clock = doubt === undefined ? ledger.clock : { ...ledger.clock, doubt }
  const marks = waiting === undefined ? ledger.marks : { ...ledger.marks, waiting }
  return { ...parts, ledger: { ...ledger, clock, marks, isolated } }
}

const isolated: Ledger["isolated"] = {
  stop: { code: "isolated", message: "It is.", data: { signs: "cancels", fix: "doctor" } },
  refuse: () => undefined,
  assertTakes: () => undefined,
  lacking: () => new Fault("ledger_unavailable", "It does."),
}

const waiting: Ledger["marks"]["waiting"] = () => [
  { signer: `0x${"1".repeat(40)}` as never, nonce: 1 },
]

describe("what the vault signs", () => {
  it("is all while no reason speaks against it", async (t) => {
    const { vault } = await open(t)
    assert.deepEqual(signingNow(vault), {
      signs: "all",
      words: "signs what policies allow",
      reasons: [],
    })
  })

  it("is nothing for each reason that stops all, and the gravest is told first", async (t) => {
    const { vault, admin } = await open(t)
    const restored = halted(vault, { waiting })
    assert.deepEqual(told(restored), ["nothing", "restore_unaccepted all -: nothing"])
    const doubt = () => "The clock ran ahead."
    const leapt = halted(restored, { doubt })
    assert.deepEqual(told(leapt).slice(0, 3), [
      "nothing",
      "restore_unaccepted all -: nothing",
      "clock_unsafe all -: reduce_only",
    ])
    await admin.freeze({ scope: "client", name: "bot", reason: "a drill", cancels: false })
    await admin.lock()
    assert.deepEqual(told(halted(vault, { doubt })), [
      "nothing",
      "locked all -: nothing",
      "clock_unsafe all -: reduce_only",
      "frozen client bot: nothing",
    ])
  })

  it("is what reduces risk while the disk is low, the venue's clock off, or all but cancels frozen", async (t) => {
    const { vault, admin } = await open(t, { settings: "max_venue_offset: 5s\n" })
    const disk = { ...vault.disk, low: { freeBytes: 1, minFreeBytes: 2 } }
    assert.deepEqual(told({ ...vault, disk }), ["reduce_only", "disk_low all -: reduce_only"])
    vault.venueClock.tell({ leastMs: 5_001, mostMs: 5_001 })
    assert.deepEqual(told(vault), ["reduce_only", "clock_unsafe all -: reduce_only"])
    vault.venueClock.tell({ leastMs: 5_000, mostMs: 5_000 })
    assert.deepEqual(told(vault), ["all"])
    await admin.freeze({ scope: "all", name: null, reason: "a drill", cancels: true })
    assert.deepEqual(told(vault), ["reduce_only", "frozen all -: reduce_only"])
    await admin.freeze({ scope: "all", name: null, reason: "a drill", cancels: false })
    assert.deepEqual(told(vault), ["nothing", "frozen all -: nothing"])
  })

  it("is cancels while PostgreSQL can't be reached, where it may be without", async (t) => {
    const { vault, token, admin } = await open(t)
    const alone = halted(vault, { isolated })
    assert.deepEqual(told(alone), ["cancels", "isolated all -: cancels"])
    assert.deepEqual(openSigning(signingNow(alone)), { signs: "cancels", reasons: ["isolated"] })
    const bots = botMethods(alone)
    const before = callOf(token, limitOrder(), { idempotencyKey: "k" })
    assert.equal(outcomeOf(await botMethods(vault).sign(before)), "signed")
    assert.equal(outcomeOf(await bots.sign(before)), "isolated")
    const reduce = { ...limitOrder(), flags: ["reduce_only"] }
    for (const order of [limitOrder(), reduce]) {
      assert.equal(outcomeOf(await bots.sign(callOf(token, order))), "isolated")
    }
    const cancel = callOf(token, { order_id: "7" }, { path: cancelPath })
    assert.equal(outcomeOf(await bots.sign(cancel)), "signed")
    await admin.freeze({ scope: "all", name: null, reason: "a drill", cancels: true })
    assert.equal(told(alone)[0], "cancels")
    await admin.freeze({ scope: "all", name: null, reason: "a drill", cancels: false })
    assert.equal(told(alone)[0], "nothing")
  })

  it("is all but what a narrower reason takes away", async (t) => {
    const { vault, admin } = await open(t)
    await vault.lock("idle", ["main"])
    await admin.freeze({ scope: "key", name: "mm", reason: "a drill", cancels: true })
    assert.deepEqual(told(vault), ["all", "locked key main: nothing", "frozen key mm: reduce_only"])
    assert.match(
      signingNow(vault).words,
      /^signs what policies allow, but: The key main .*; and 1 more$/,
    )
  })

  it("is less of an agent whose approval ends, from stop_before on", async (t) => {
    const { vault } = await open(t, { settings: "stop_before: 1h\n" })
    const expiresAtMs = vault.now() + dayMs
    await vault.act({ act: "agent_approved", name: "mm", expires_at: expiresAtMs, record: "rec_1" })
    const before = (ms: number) => ({
      ...vault,
      now: () => ledgerTime(expiresAtMs - ms),
      ledger: halted(vault, { doubt: () => undefined }).ledger,
    })
    assert.deepEqual(told(before(3_600_001)), ["all"])
    assert.deepEqual(told(before(3_600_000)), ["all", "agent_expiring key mm: reduce_only"])
  })

  it("leaves out what needs a price that is stale, and cancels where none can be signed", async (t) => {
    const { vault } = await open(t)
    const late = () => ledgerTime(Date.now() + 400 * dayMs)
    const believed = halted({ ...vault, now: late }, { doubt: () => undefined })
    const [signs, ...reasons] = told(believed)
    assert.equal(signs, "all")
    assert.ok(reasons.includes("price_stale symbol BTC-PERP: some"))
    const untagged = await open(t, {
      venue: mainVenueText(undefined),
      policies: ["policy: p\nrules:\n  - {name: r, endpoints: [placeOrder]}\n"],
    })
    assert.ok(told(untagged.vault).includes("action_tag_undisclosed all -: some"))
  })

  it("is nothing in a command, which opened no keys, whatever the ledger has", async (t) => {
    const { vault } = await open(t)
    assert.deepEqual(told({ ...vault, surroundings: inACommand }), [
      "nothing",
      "not_running all -: nothing",
    ])
  })

  it("is told to strangers without names, and of what is about everybody", async (t) => {
    const { vault, admin } = await open(t)
    await admin.freeze({ scope: "client", name: "bot", reason: "canary", cancels: true })
    await admin.freeze({ scope: "all", name: null, reason: "canary", cancels: true })
    assert.deepEqual(openSigning(signingNow(vault)), { signs: "reduce_only", reasons: ["frozen"] })
  })

  it("fits a line of the socket however many reasons there are", async (t) => {
    const { vault } = await open(t)
    const freezes = Array.from({ length: 500 }, (_, n) => ({
      ...{ scope: "client" as const, name: `${n}`.padStart(64, "n"), reason: "r".repeat(200) },
      ...{ by: "b".repeat(64), cancels: true, since: 0 },
    }))
    const crowded = { ...vault, active: () => ({ ...vault.active(), freezes }) }
    const signing = signingNow(crowded)
    assert.equal(signing.reasons.length, 100)
    assert.match(signing.words, /; and 499 more$/)
    assert.ok(Buffer.byteLength(JSON.stringify(signing)) < maxFrameBytes / 2)
  })
})

describe("what a bot is told whose request is stopped for all", () => {
  const order = { path: ordersPath, body: limitOrder() }
  const cancel = { path: cancelPath, body: { order_id: "1" } }
  for (const [what, halting, signs, requests] of [
    ["a restored ledger", { waiting }, "nothing", [order, cancel]],
    ["a clock that leapt", { doubt: () => "The clock ran ahead." }, "reduce_only", [order]],
  ] as const) {
    it(`is the very reason that status tells, in a check too: ${what}`, async (t) => {
      const test = await open(t)
      const stopped = halted(test.vault, halting)
      const [reason] = signingNow(stopped).reasons
      for (const { path, body } of requests) {
        const call = callOf(test.token, body, { path })
        const answer = await botMethods(stopped).sign(call)
        assert.ok(answer.kind === "refused")
        const { code, message, data } = answer.refusal
        assert.deepEqual([code, message], [reason?.code, reason?.message])
        assert.partialDeepStrictEqual(data, { signs, fix: reason?.fix })
        const check = checkRequest(checkOf(call), stopped)
        assert.ok(check.kind === "answer")
        assert.deepEqual(check.report.refusal, answer.refusal)
      }
      assert.equal(outcomeOf(await test.sign(test.token, limitOrder())), "signed")
    })
  }

  it("is that reason too where the ledger itself finds it first", async (t) => {
    const test = await open(t)
    const decide = () => Promise.reject(new Fault("restore_unaccepted", "It waits."))
    const stopped = halted(test.vault, { waiting })
    const bots = botMethods({ ...stopped, ledger: { ...stopped.ledger, decide } })
    const call = callOf(test.token, limitOrder(), { idempotencyKey: "k" })
    const answer = await bots.sign(call)
    assert.equal(outcomeOf(answer), "restore_unaccepted")
    const accepted = botMethods({ ...test.vault, ledger: { ...test.vault.ledger, decide } })
    // It was accepted before the answer was made: the request was refused for it all the same.
    assert.equal(outcomeOf(await accepted.sign(call)), "restore_unaccepted")
  })
})
