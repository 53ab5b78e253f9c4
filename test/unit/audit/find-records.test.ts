import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"

import type { EntryFilter } from "../../../src/audit/entry-filter.ts"
import { findRecords, soughtBy } from "../../../src/audit/find-records.ts"
import { readLedger } from "../../../src/audit/open-ledger.ts"
import { entriesAfter } from "../../../src/audit/read-entries.ts"
import { openLedger } from "../../../src/vault/ledger/open-ledger.ts"
import { fakeClock, ledgerTime, startMs } from "../../support/fake-clock.ts"
import {
  assertReserved,
  ledgerPlace,
  plainAsk,
  recordOf,
  refusalEntry,
  requestEntry,
  reserve,
  type LedgerPlace,
} from "../../support/ledger-ask.ts"

const files = [
  { name: "countersign.yaml", text: "keystore: {backend: memory}\n" },
  {
    name: "venue.yaml",
    text: "extends: builtin\nsymbols:\n  - {id: 1, name: BTC-PERP, market: perp, quote: USD}\n  - {id: 2, name: ETH-PERP, market: perp, quote: USD}\n",
  },
]
const hash = "ab".repeat(32)
const order = { order_id: "7001", state: "open", tx_hash: "0x5d" }

describe("what was recorded", () => {
  let place: LedgerPlace
  let placed: string
  let cancelled: string
  let placedNonce: number
  before(async () => {
    place = await ledgerPlace()
    const clock = fakeClock()
    const ledger = await openLedger({ file: place.file, clock })
    const nowMs = ledgerTime(startMs)
    await ledger.act({ act: "set_activated", hash, files }, nowMs)
    const signed = async (entry: Partial<typeof requestEntry>) => {
      const reservation = await reserve(ledger, {
        ...plainAsk,
        entry: { ...requestEntry, ...entry },
        nowMs: ledgerTime(clock.nowMs()),
      })
      assertReserved(reservation)
      return reservation
    }
    const body = '{"client_order_id":"q-1","is_buy":true,"price":"1","quantity":"1","symbol_id":1}'
    const first = await signed({ body })
    placed = first.record
    placedNonce = first.nonce
    await ledger.settle(first.record, { kind: "sent" }, nowMs)
    await ledger.settle(first.record, { kind: "accepted", status: 200, code: "0", order }, nowMs)
    assert.deepEqual((await recordOf(ledger, placed, nowMs))?.outcome, {
      ...{ status: 200, code: "0", order },
    })
    clock.pass(100)
    const second = await signed({
      ...{ operation: "cancelOrder", rule: "market-maker/cancel" },
      body: '{"order_id":"7001","symbol_id":2}',
    })
    cancelled = second.record
    await ledger.settle(second.record, { kind: "refused", status: 400, code: "10001" }, nowMs)
    const told = await recordOf(ledger, cancelled, nowMs)
    assert.deepEqual(told?.outcome, { status: 400, code: "10001", order: null })
    ledger.note(refusalEntry("Too much of ETH-PERP."), nowMs)
    await ledger.close()
  })
  after(() => place.remove())

  const found = (by: keyof typeof soughtBy, word: string) =>
    readLedger(place.file, (ledger) =>
      findRecords(ledger, soughtBy[by](word)).map(({ entry, others }) => [entry.id, others.length]),
    )

  it("is found by its nonce, with all that was heard of it", async () => {
    assert.deepEqual(await found("nonce", String(placedNonce)), [[placed, 2]])
    assert.deepEqual(await found("nonce", String(placedNonce - 1)), [])
  })

  it("is found by the bot's id of an order, as a whole", async () => {
    assert.deepEqual(await found("clientOrderId", "q-1"), [[placed, 2]])
    assert.deepEqual(await found("clientOrderId", "q-"), [])
  })

  it("is found by the venue's id, of what placed the order and of what names it", async () => {
    assert.deepEqual(await found("orderId", "7001"), [
      [placed, 2],
      [cancelled, 1],
    ])
    assert.deepEqual(await found("orderId", "700"), [])
    assert.deepEqual(await found("orderId", "1"), [], "a quantity is no id")
  })

  it("is found by the venue's hash of the transaction, and by an entry's own hash", async () => {
    assert.deepEqual(await found("txHash", "0x5d"), [[placed, 2]])
    assert.deepEqual(await found("txHash", "0x5"), [])
    const [entry] = await readLedger(place.file, (ledger) =>
      entriesAfter(ledger, 0, { kind: "refusal" }).toArray(),
    )
    const hex = Buffer.from(entry!.hash).toString("hex")
    assert.deepEqual(await found("hash", hex.toUpperCase()), [[entry!.id, 0]])
    assert.deepEqual(await found("hash", hex.slice(2)), [])
  })

  const kinds = (filter: EntryFilter) =>
    readLedger(place.file, (ledger) =>
      entriesAfter(ledger, 0, filter)
        .map(({ kind }) => kind)
        .toArray(),
    )

  for (const [says, filter, expected] of [
    ["by rule, whole", { rule: "market-maker/quote" }, ["request", "outcome", "outcome"]],
    ["by the rule's name alone", { rule: "cancel" }, ["request", "outcome"]],
    ["by no part of a rule's name", { rule: "canc" }, []],
    ["by the policy's name, which is no rule", { rule: "market-maker" }, []],
    ["by symbol", { symbol: "BTC-PERP" }, ["request", "outcome", "outcome"]],
    ["by a symbol that a refusal names", { symbol: "ETH-PERP" }, ["request", "outcome", "refusal"]],
    ["by no part of a symbol", { symbol: "BTC" }, []],
    ["by a refusal's code", { code: "signer_pace" }, ["refusal"]],
    ["by the venue's code", { code: "10001" }, ["outcome"]],
    ["by two things at once", { symbol: "ETH-PERP", rule: "quote" }, []],
    ["by time", { sinceMs: startMs + 100, kind: "request" }, ["request"]],
  ] as const) {
    it(`is chosen ${says}`, async () => {
      assert.deepEqual(await kinds(filter), expected)
    })
  }
})
