import { hash } from "node:crypto"
import { describe, it } from "node:test"

import { maxPendingHolds } from "../../../../../src/vault/ledger/hold-book.ts"
import type { OpenHold } from "../../../../../src/vault/ledger/ledger.ts"
import { maxRows } from "../../../../../src/vault/ledger/row-counts.ts"
import type { RequestEntry } from "../../../../../src/vault/ledger/records/entries.ts"
import type { Hold, HoldAsk } from "../../../../../src/vault/ledger/records/hold.ts"
import { maxEndedHolds } from "../../../../../src/vault/ledger/store/store.ts"
import { aClaim } from "../../../../support/a-claim.ts"
import { startMs, ledgerTime } from "../../../../support/fake-clock.ts"
import {
  openHold,
  reserve,
  reserveAt,
  assertReserved,
  otherSigner,
  plainAsk,
  requestEntry,
  reserved,
} from "../../../../support/ledger-ask.ts"
import {
  clock,
  ledger,
  openLedgerForEach,
  place,
  reopen,
} from "../../../../support/ledger-for-each.ts"
import { query, readLedger } from "../../../../support/read-ledger.ts"

import assert from "node:assert/strict"

const ttlMs = 900_000
const holdAsk: HoldAsk = {
  client: requestEntry.client,
  key: requestEntry.key,
  operation: requestEntry.operation,
  target: requestEntry.target,
  body: requestEntry.body,
  policy: "market-maker",
  rule: "large",
  worst: "32,000 USD",
  expires_at: startMs + ttlMs,
}
const release = { to: "released", by: "operator" } as const
const refuse = { to: "refused", by: "operator" } as const

openLedgerForEach()

async function hold(changes: Partial<HoldAsk> = {}): Promise<OpenHold> {
  const opened = await openHold(ledger, { ...holdAsk, ...changes })
  assert.ok(opened.ok)
  return opened.value
}

/** As fast as one client may. */
async function holdEach(bodies: readonly string[]): Promise<readonly OpenHold[]> {
  const holds: OpenHold[] = []
  for (const [index, body] of bodies.entries()) {
    if (index % maxRows.hold === 0) clock.pass(1_000)
    holds.push(await hold({ body }))
  }
  return holds
}

async function released(changes: Partial<HoldAsk> = {}): Promise<string> {
  const { hold: id } = await hold(changes)
  await ledger.decideHold(id, release, ledgerTime(clock.nowMs()))
  return id
}

function use(id: string, entry: Partial<RequestEntry> = {}, nowMs = ledgerTime(clock.nowMs())) {
  const ask = { ...plainAsk, entry: { ...requestEntry, ...entry }, release: { hold: id }, nowMs }
  return reserve(ledger, ask)
}

function states(nowMs = clock.nowMs()): readonly string[] {
  return ledger.holds(ledgerTime(nowMs)).map(({ state }) => state)
}

describe("a hold", () => {
  it("is pending until it is decided, and outlives a restart", async () => {
    const opened = await hold()
    assert.match(opened.hold, /^hold_[0-9A-HJKMNP-TV-Z]{26}$/)
    const whole: Hold = {
      ...holdAsk,
      hold: opened.hold,
      body_hash: hash("sha256", requestEntry.body),
      opened_at: startMs,
      state: "pending",
      decided_by: null,
    }
    assert.deepEqual(ledger.holds(ledgerTime(startMs)), [whole])
    await reopen()
    assert.deepEqual(ledger.holds(ledgerTime(startMs)), [whole])
    await ledger.decideHold(opened.hold, release, ledgerTime(startMs))
    const decided = { ...whole, state: "released", decided_by: "operator" }
    assert.deepEqual(ledger.holds(ledgerTime(startMs)), [decided])
    await reopen()
    assert.deepEqual(ledger.holds(ledgerTime(startMs)), [decided])
  })

  it("is opened once for the same request, also when it is asked for at once", async () => {
    const [first, second] = await Promise.all([hold(), hold()])
    assert.equal(first.hold, second.hold)
    assert.equal((await hold({ worst: "another price" })).hold, first.hold)
    assert.equal(await ledger.count(), 1)
    await reopen()
    assert.equal((await hold()).hold, first.hold)
  })

  const others: readonly (readonly [string, Partial<RequestEntry>])[] = [
    ["client", { client: "other-bot" }],
    ["key", { key: "other-agent" }],
    ["operation", { operation: "placeBatch" }],
    ["target", { target: otherSigner }],
    ["body", { body: requestEntry.body.replace("0.5", "0.6") }],
  ]
  for (const [what, changes] of others) {
    it(`is another one for another ${what}, and so is its release`, async () => {
      const id = await released()
      assert.equal(ledger.findRelease(holdAsk, ledgerTime(startMs)), id)
      assert.equal(ledger.findRelease({ ...holdAsk, ...changes }, ledgerTime(startMs)), undefined)
      assert.notEqual((await hold(changes)).hold, id)
      const answer = await use(id, changes)
      assert.equal(answer.kind === "refused" && answer.refusal.code, "approval_required")
      assertReserved(await use(id))
    })
  }

  it("expires at its time, decided or not, and not a millisecond earlier", async () => {
    const pending = await hold()
    const id = await released({ key: "other-agent" })
    const lastMs = holdAsk.expires_at - 1
    assert.deepEqual(states(lastMs), ["pending", "released"])
    assert.deepEqual(states(lastMs + 1), ["expired", "expired"])
    assert.equal(ledger.findRelease({ ...holdAsk, key: "other-agent" }, ledgerTime(lastMs)), id)
    assert.equal(
      ledger.findRelease({ ...holdAsk, key: "other-agent" }, ledgerTime(lastMs + 1)),
      undefined,
    )
    clock.pass(ttlMs)
    await assert.rejects(ledger.decideHold(pending.hold, release, ledgerTime(clock.nowMs())), {
      code: "usage",
    })
    const answer = await use(id, { key: "other-agent" })
    assert.equal(answer.kind, "refused")
    assert.notEqual((await hold({ expires_at: startMs + 2 * ttlMs })).hold, pending.hold)
  })

  it("is decided once", async () => {
    const { hold: id } = await hold()
    const [first, second] = await Promise.allSettled([
      ledger.decideHold(id, refuse, ledgerTime(startMs)),
      ledger.decideHold(id, release, ledgerTime(startMs)),
    ])
    assert.equal(first.status, "fulfilled")
    assert.equal(second.status, "rejected")
    assert.deepEqual(states(), ["refused"])
    await assert.rejects(ledger.decideHold(id, release, ledgerTime(startMs)), {
      name: "Fault",
      code: "usage",
      message: /refused already/,
    })
    assert.equal(ledger.findRelease(holdAsk, ledgerTime(startMs)), undefined)
    assert.equal(await ledger.count(), 2)
  })

  it("that is unknown can't be decided", async () => {
    const unknown = { name: "Fault", code: "name_unknown" }
    await assert.rejects(ledger.decideHold("hold_0", release, ledgerTime(startMs)), unknown)
    assert.equal(await ledger.count(), 0)
  })

  it("can be opened again after it was refused or used", async () => {
    const first = await hold()
    await ledger.decideHold(first.hold, refuse, ledgerTime(startMs))
    const second = await released()
    assertReserved(await use(second))
    const third = await hold()
    assert.equal(new Set([first.hold, second, third.hold]).size, 3)
    assert.deepEqual(states(), ["refused", "used", "pending"])
  })

  it("is in the journal with its decision and its use", async () => {
    const id = await released()
    assertReserved(await use(id))
    await ledger.close()
    const [opened, decided, request] = readLedger(place.file).map(({ row }) => row)
    assert.deepEqual(
      { ...opened, id: null },
      {
        seq: 1,
        kind: "act",
        id: null,
        at_ms: startMs,
        act: "hold_opened",
        hold: id,
        client: "mm-bot",
        key: "mm-agent",
        operation: "placeOrder",
        target: null,
        body: requestEntry.body,
        body_hash: hash("sha256", requestEntry.body),
        policy: "market-maker",
        rule: "large",
        worst: "32,000 USD",
        expires_at: startMs + ttlMs,
      },
    )
    assert.deepEqual(
      [decided?.["act"], decided?.["hold"], decided?.["by"]],
      ["hold_released", id, "operator"],
    )
    assert.equal(request?.["release"], id)
  })
})

describe("a release", () => {
  it("is used once, of two that come at once by the first", async () => {
    const id = await released()
    const [first, second] = await Promise.all([use(id), use(id)])
    assertReserved(first)
    assert.deepEqual(second.kind === "refused" && second.refusal, {
      code: "approval_required",
      message:
        "The release of this hold can't be used: it was used, has expired, or is another request's; ask again.",
      data: { hold: id, expires_at: null },
    })
    assert.equal(ledger.findRelease(holdAsk, ledgerTime(startMs)), undefined)
    assert.equal(await ledger.count(), 3)
  })

  it("stays used after a restart", async () => {
    const id = await released()
    assertReserved(await use(id))
    await reopen()
    assert.deepEqual(states(), ["used"])
    assert.equal(ledger.findRelease(holdAsk, ledgerTime(startMs)), undefined)
    assert.equal((await use(id)).kind, "refused")
  })

  it("can be used after a restart", async () => {
    const id = await released()
    await reopen()
    assert.equal(ledger.findRelease(holdAsk, ledgerTime(startMs)), id)
    assertReserved(await use(id))
  })

  it("is kept when a limit or the signer's pace refuses the request", async () => {
    await ledger.replaceMeters(() => [], Infinity)
    const id = await released()
    const full = { ...plainAsk, release: { hold: id }, claims: [aClaim({ amount: "11" })] }
    const spent = await reserve(ledger, { ...full, nowMs: ledgerTime(startMs) })
    assert.equal(spent.kind === "refused" && spent.refusal.code, "limit_exhausted")
    while ((await reserveAt(ledger, startMs)).kind !== "refused");
    const paced = await use(id)
    assert.equal(paced.kind === "refused" && paced.refusal.code, "signer_pace")
    assert.equal(ledger.findRelease(holdAsk, ledgerTime(startMs)), id)
  })

  it("takes nothing of a limit when it can't be used", async () => {
    await ledger.replaceMeters(() => [], Infinity)
    const ask = {
      ...plainAsk,
      release: { hold: "hold_0" },
      claims: [aClaim()],
      nowMs: ledgerTime(startMs),
    }
    assert.equal((await reserve(ledger, ask)).kind, "refused")
    assert.equal(ledger.headroom([aClaim()], ledgerTime(startMs))[0]!.used.coefficient, 0n)
    assert.equal((await reserved(ledger, startMs)).nonce, startMs)
  })
})

describe("many holds", () => {
  const bodies = (count: number) => Array.from({ length: count }, (_, index) => `{"n":${index}}`)

  /** What one client may have of the bound while no other has any. */
  const half = maxPendingHolds / 2

  it("wait for a person up to a bound, and no more until one is decided", async () => {
    const [first] = await holdEach(bodies(half))
    clock.pass(1_000)
    const more = await openHold(ledger, { ...holdAsk, body: "{}" })
    assert.equal(!more.ok && more.error.code, "overloaded")
    assert.equal((await hold({ body: '{"n":0}' })).hold, first!.hold, "the same one is still found")
    await ledger.decideHold(first!.hold, refuse, ledgerTime(startMs))
    await hold({ body: "{}" })
  })

  it("of one client leave room for those of another, and never are more than the bound in all", async () => {
    for (const client of ["a", "b"]) {
      for (const [index, body] of bodies(half).entries()) {
        if (index % maxRows.hold === 0) clock.pass(1_000)
        await openHold(ledger, { ...holdAsk, client, body })
      }
    }
    const own = (client: string): number =>
      ledger.holds(ledgerTime(startMs)).filter((each) => each.client === client).length
    assert.deepEqual([own("a"), own("b"), own("c")], [half, half / 2, 0])
    await hold({ client: "c" })
    assert.ok(states(startMs).length <= maxPendingHolds)
  })

  it("make room by expiring", async () => {
    await holdEach(bodies(half))
    clock.pass(ttlMs)
    await hold({ body: "{}", expires_at: startMs + 2 * ttlMs })
    assert.equal(states().filter((state) => state === "pending").length, 1)
    assert.ok(states().length <= maxEndedHolds + 1)
  })

  it("are forgotten when they have ended, but for the last, and none that is open is", async () => {
    const late = { expires_at: startMs + 10 * ttlMs }
    const open = await hold({ ...late, body: '{"open":1}' })
    const kept = await released({ ...late, body: '{"open":2}' })
    await holdEach(bodies(maxEndedHolds + 20))
    clock.pass(ttlMs)
    await reopen()
    const ids = ledger.holds(ledgerTime(clock.nowMs())).map(({ hold: id }) => id)
    assert.deepEqual(ids.slice(0, 2), [open.hold, kept])
    assert.equal(ids.length, maxEndedHolds + 2)
    await ledger.close()
    assert.equal(query(place.file, "SELECT 1 FROM holds").length, maxEndedHolds + 22)
  })
})
