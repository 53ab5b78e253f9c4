import { describe, it } from "node:test"

import type { Outcome } from "../../../../../src/link/calls/both-ways.ts"
import type { RequestEntry } from "../../../../../src/vault/ledger/records/entries.ts"
import {
  isUnsent,
  keptAnswer,
  type KeyUse,
  putOffBy,
  stateOf,
} from "../../../../../src/vault/ledger/found-records.ts"
import type { IdempotencyKey } from "../../../../../src/vault/ledger/records/idempotency.ts"
import { recordView } from "../../../../../src/vault/status/views.ts"
import type { Reservation } from "../../../../../src/vault/ledger/records/reservation.ts"
import { startMs, ledgerTime } from "../../../../support/fake-clock.ts"
import {
  keyUse,
  reserve,
  assertReserved,
  plainAsk,
  requestEntry,
} from "../../../../support/ledger-ask.ts"
import {
  clock,
  ledger,
  openLedgerForEach,
  place,
  reopen,
} from "../../../../support/ledger-for-each.ts"
import { countCommits, query, readLedger } from "../../../../support/read-ledger.ts"

import assert from "node:assert/strict"

const dayMs = 86_400_000
const key = { client: requestEntry.client, by: "header", key: "k-1" } as const

openLedgerForEach()

function reserveKeyed(
  changes: Partial<NonNullable<RequestEntry["idempotency"]>> = {},
  entry: Partial<RequestEntry> = {},
): Promise<Reservation | { readonly kind: "repeat" }> {
  const idempotency = { by: "header", key: "k-1", binding: "b1", ...changes } as const
  const keyed = { ...requestEntry, ...entry, idempotency }
  const ask = { ...plainAsk, entry: keyed, nowMs: ledgerTime(clock.nowMs()) }
  const asked = { client: keyed.client, by: idempotency.by, key: idempotency.key }
  return ledger.decide([asked], (turn) => {
    const use = turn.keyUse(asked)
    const answer = use.kind === "kept" ? ({ kind: "repeat" } as const) : turn.reserve(ask)
    return () => answer
  })
}

async function reserved(...ask: Parameters<typeof reserveKeyed>) {
  const reservation = await reserveKeyed(...ask)
  assert.ok(reservation.kind !== "repeat")
  assertReserved(reservation)
  return reservation
}

function useOf(asked: IdempotencyKey = key): Promise<KeyUse> {
  return keyUse(ledger, asked)
}

async function kept() {
  const use = await useOf()
  assert.equal(use.kind, "kept")
  const { row } = use.request
  return {
    ...{ record: row.id, nonce: row.nonce, expiresAfterMs: row.expires_after },
    ...{ binding: row.idempotency?.binding, hadRelease: row.release !== undefined },
    state: stateOf(use.request, ledgerTime(clock.nowMs())),
    isUnsent: isUnsent(use.request),
    putOff: putOffBy(use.request),
    answer: keptAnswer(use.request),
  }
}

const answer = { body: Buffer.from("{}").toString("base64"), type: "application/json" }
const accepted: Outcome = { kind: "accepted", status: 200, code: "0", answer }
const refused: Outcome = { kind: "refused", status: 400, code: "10001", answer }

describe("an idempotency key", () => {
  it("is unused until a request has it, and then stands for that one", async () => {
    assert.deepEqual(await useOf(), { kind: "unused" })
    const { record, nonce, expiresAfterMs } = await reserved()
    assert.deepEqual(await kept(), {
      record,
      binding: "b1",
      nonce,
      expiresAfterMs,
      state: "signed",
      isUnsent: false,
      putOff: undefined,
      hadRelease: false,
      answer: undefined,
    })
  })

  it("is one client's own, and a header's never meets an order's", async () => {
    await reserved()
    for (const other of [
      { ...key, client: "other" },
      { ...key, by: "client_order_id" } as const,
      { ...key, key: "k-2" },
      { ...key, key: "K-1" },
    ]) {
      assert.deepEqual(await useOf(other), { kind: "unused" })
    }
    await reserved({ by: "client_order_id" })
    await reserved({}, { client: "other" })
  })

  it("is taken within the call that reserves, so of 50 at once one gets a nonce", async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => reserveKeyed()))
    const kinds = answers.map(({ kind }) => kind)
    assert.deepEqual(kinds, ["reserved", ...Array.from({ length: 49 }, () => "repeat")])
    assert.equal(await ledger.count(), 1)
  })

  it("is told as a repeat only once the first request is durable", async () => {
    const earlier = countCommits(`${place.file}-wal`)
    const first = reserveKeyed()
    const second = await reserveKeyed({ binding: "another" })
    assert.equal(second.kind, "repeat")
    assert.equal(countCommits(`${place.file}-wal`), earlier + 1)
    assert.equal((await first).kind, "reserved")
  })

  it("binds nothing that was refused", async () => {
    const tooFast = Array.from({ length: 1_001 }, () =>
      reserve(ledger, { ...plainAsk, nowMs: ledgerTime(clock.nowMs()) }),
    )
    await Promise.all(tooFast)
    assert.equal((await reserveKeyed()).kind, "refused")
    assert.deepEqual(await useOf(), { kind: "unused" })
    clock.pass(1_000)
    assert.equal((await reserveKeyed({ binding: "another" })).kind, "reserved")
  })

  it("outlives a restart", async () => {
    const { record } = await reserved()
    await reopen()
    assert.equal((await kept()).record, record)
  })

  it("is kept for 24 hours, whatever restarts, and can be used again after that", async () => {
    const { record } = await reserved()
    clock.pass(dayMs)
    await reopen()
    assert.equal((await kept()).record, record)
    clock.pass(1)
    assert.deepEqual(await useOf(), { kind: "ended", record })
    const next = await reserved({ replaces: record, binding: "b2" })
    assert.equal((await kept()).record, next.record)
    await reopen()
    assert.equal((await kept()).binding, "b2")
  })

  it("is kept for as long as its request is good, if that is longer", async () => {
    const idempotency = { by: "header", key: "k-1", binding: "b1" } as const
    const entry = { ...requestEntry, idempotency }
    await reserve(ledger, {
      ...plainAsk,
      entry,
      ttlMs: 2 * dayMs,
      nowMs: ledgerTime(clock.nowMs()),
    })
    clock.pass(2 * dayMs)
    assert.equal((await useOf()).kind, "kept")
    clock.pass(1)
    assert.equal((await useOf()).kind, "ended")
  })

  it("is kept for 24 hours of time that passed, also when the clock had been set back", async () => {
    clock.setWall(startMs - dayMs)
    const { record } = await reserved()
    clock.setWall(startMs)
    clock.pass(30_000)
    assert.equal((await kept()).record, record)
  })

  it("is refused a second time by the database itself, unless the row names what it replaces", async () => {
    const { record } = await reserved()
    const idempotency = { by: "header", key: "k-1", binding: "b1" } as const
    const entry = { ...requestEntry, idempotency }
    const again = reserve(ledger, { ...plainAsk, entry, nowMs: ledgerTime(clock.nowMs()) })
    await assert.rejects(again, { name: "Fault", code: "ledger_unavailable" })
    await reopen()
    assert.equal((await kept()).record, record)
    const instead = { ...entry, idempotency: { ...idempotency, replaces: record } }
    assertReserved(
      await reserve(ledger, { ...plainAsk, entry: instead, nowMs: ledgerTime(clock.nowMs()) }),
    )
  })

  it("stands in the row with what it is bound to, and nowhere where there is none", async () => {
    const { record } = await reserved({ binding: "b9" }, { client_order_id: "q-1" })
    await reserve(ledger, { ...plainAsk, nowMs: ledgerTime(clock.nowMs()) })
    await ledger.close()
    const [first, second] = readLedger(place.file)
    assert.deepEqual(first?.row["idempotency"], { by: "header", key: "k-1", binding: "b9" })
    assert.equal(first.row["client_order_id"], "q-1")
    assert.equal(second?.row["idempotency"], undefined)
    assert.deepEqual(
      query(place.file, "SELECT id, idempotency_key, client_order_id FROM requests").map((row) => ({
        ...row,
      })),
      [
        { id: record, idempotency_key: "header:k-1", client_order_id: "q-1" },
        { id: second?.id, idempotency_key: null, client_order_id: null },
      ],
    )
  })
})

describe("what became of a key's request", () => {
  async function settle(...outcomes: readonly Outcome[]): Promise<void> {
    const { record } = await reserved()
    for (const outcome of outcomes) await ledger.settle(record, outcome, ledgerTime(clock.nowMs()))
  }
  const sent: Outcome = { kind: "sent" }
  const unsent: Outcome = { kind: "unsent" }
  const withdrawn: Outcome = { kind: "unsent", withdrawn: true }

  it("has the venue's answer once it is final, also after a restart", async () => {
    await settle(sent, accepted)
    await reopen()
    const { state, answer: told } = await kept()
    assert.equal(state, "accepted")
    assert.deepEqual(told, { ...answer, status: 200 })
  })

  it("has the answer of the first final word", async () => {
    await settle(sent, refused, accepted)
    const { state, answer: told } = await kept()
    assert.deepEqual([state, told?.status], ["refused", 400])
  })

  it("has no answer where none was kept", async () => {
    await settle(sent, { kind: "accepted", status: 200, code: "0" })
    assert.deepEqual([(await kept()).state, (await kept()).answer], ["accepted", undefined])
  })

  for (const [words, outcomes, state, isUnsent] of [
    ["nothing", [], "signed", false],
    ["unsent", [unsent], "signed", true],
    ["sent", [sent], "sent", false],
    ["unsent, then sent", [unsent, sent], "sent", false],
    ["unsent, sent, then withdrawn", [unsent, sent, withdrawn], "signed", true],
    ["sent twice, then withdrawn", [sent, sent, withdrawn], "sent", false],
    ["unknown, then withdrawn", [sent, { kind: "unknown", status: null }, withdrawn], "unknown"],
    ["refused after a second send", [sent, sent, refused], "unknown"],
    ["refused as one that may have been sent before", [{ ...refused, again: true }], "unknown"],
    ["refused after unknown", [{ kind: "unknown", status: null }, sent, refused], "unknown"],
    ["refused after unsent, sent", [unsent, sent, refused], "refused"],
    ["accepted after a second send", [sent, sent, accepted], "accepted"],
    [
      "accepted after a refusal that proved nothing",
      [sent, { ...refused, again: true }, accepted],
      "accepted",
    ],
  ] as const satisfies readonly (readonly [string, readonly Outcome[], string, boolean?])[]) {
    it(`is ${state} after ${words}`, async () => {
      await settle(...outcomes)
      const earlier = await kept()
      assert.equal(earlier.state, state)
      assert.equal(earlier.isUnsent, isUnsent ?? false)
      assert.equal(earlier.answer !== undefined, state === "accepted" || state === "refused")
    })
  }
})

describe("looking for records", () => {
  const search = async (
    by: "idempotency_key" | "client_order_id",
    value: string,
    client = key.client,
  ) => {
    const found = await ledger.records({ client, by, value })
    return found.map((each) => recordView(each, ledgerTime(clock.nowMs())))
  }

  it("finds one's own by key and by client_order_id, the newest first", async () => {
    const first = await reserved({}, { client_order_id: "q-1" })
    clock.pass(1)
    const second = await reserved({ key: "k-2" }, { client_order_id: "q-1" })
    const [newest, oldest] = await search("client_order_id", "q-1")
    assert.deepEqual([newest?.id, oldest?.id], [second.record, first.record])
    assert.deepEqual([newest?.idempotency_key, newest?.client_order_id], ["k-2", "q-1"])
    assert.deepEqual(
      (await search("idempotency_key", "k-1")).map(({ id }) => id),
      [first.record],
    )
  })

  it("finds nobody else's, and no order's id as a key", async () => {
    await reserved({ by: "client_order_id", key: "q-1" }, { client_order_id: "q-1" })
    assert.deepEqual(await search("client_order_id", "q-1", "other"), [])
    assert.deepEqual(await search("idempotency_key", "q-1"), [])
    const [found] = await search("client_order_id", "q-1")
    assert.equal(found?.idempotency_key, null)
  })

  it("gives the last 20 and every earlier use of a key", async () => {
    for (let count = 0; count < 21; count++) {
      await reserve(ledger, {
        ...plainAsk,
        entry: { ...requestEntry, client_order_id: "q-1" },
        nowMs: ledgerTime(clock.nowMs()),
      })
    }
    const found = await search("client_order_id", "q-1")
    assert.equal(found.length, 20)
    const nonces = found.map(({ nonce }) => nonce ?? 0)
    assert.deepEqual(
      nonces,
      nonces.toSorted((a, b) => b - a),
    )
    assert.equal(nonces.at(-1), startMs + 1)

    const first = await reserved()
    clock.pass(dayMs + 1)
    await reserved({ replaces: first.record })
    assert.equal((await search("idempotency_key", "k-1")).length, 2)
  })
})
