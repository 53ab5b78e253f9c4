import assert from "node:assert/strict"
import { describe, it } from "node:test"

import type { Act } from "../../../../../src/vault/ledger/records/row.ts"
import { priceFields, type Price } from "../../../../../src/vault/ledger/records/prices.ts"
import type { StoredSet } from "../../../../../src/vault/ledger/records/entries.ts"
import { decimal } from "../../../../support/a-claim.ts"
import { startMs, ledgerTime } from "../../../../support/fake-clock.ts"
import {
  clock,
  ledger,
  openLedgerForEach,
  place,
  reopen,
} from "../../../../support/ledger-for-each.ts"
import { readLedger } from "../../../../support/read-ledger.ts"

openLedgerForEach()

async function reopened() {
  await reopen()
  const { prices, ...bindings } = ledger.bindings()
  return { ...bindings, prices: [...prices.values()], lastSet: ledger.lastSet }
}

async function act(...entries: readonly Act[]): Promise<void> {
  for (const entry of entries) await ledger.act(entry, ledgerTime(clock.nowMs()))
}

/** The rows of the journal's acts, without what every row has. */
async function acts(): Promise<readonly unknown[]> {
  await ledger.close()
  const common = new Set(["seq", "id", "kind", "at_ms"])
  return readLedger(place.file).map(({ row }) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !common.has(name))),
  )
}

describe("a new ledger", () => {
  it("has no prices, raises, sets, freezes or heartbeats", async () => {
    assert.deepEqual(await reopened(), {
      keys: new Map(),
      clients: [],
      prices: [],
      raises: [],
      lastSet: undefined,
      acceptedHash: undefined,
      freezes: [],
      armed: [],
      marks: new Map(),
      guards: [],
    })
    assert.equal(await ledger.set("no such hash"), undefined)
  })
})

describe("a price", () => {
  const btc = {
    symbolId: 1,
    value: decimal("64000.25"),
    asOfMs: startMs,
    by: "feed",
    confirmed: true,
    drift: {
      anchor: { value: decimal("64000"), atMs: startMs - 5 },
      allowance: 10n ** 17n,
      held: { value: decimal("70000"), by: "other", atMs: startMs + 5 },
    },
  }
  const set = (price: Price): Act => ({ act: "price_set", ...priceFields(price) })
  const eth = { ...btc, symbolId: 2, value: decimal("0.00000001") }

  it("is found at the next start: of each symbol the last, in the order in which they were set", async () => {
    const later = { ...btc, value: decimal("70000"), by: "operator", confirmed: false }
    await act(set(btc), set(eth))
    assert.deepEqual((await reopened()).prices, [btc, eth])
    await act(set(later))
    assert.deepEqual((await reopened()).prices, [eth, later])
    await act(set({ ...later, confirmed: true }))
    assert.deepEqual((await reopened()).prices, [eth, { ...later, confirmed: true }])
  })

  it("is in the journal, every one", async () => {
    await act(set(btc), set(btc))
    const row = {
      act: "price_set",
      symbol_id: 1,
      value: "64000.25",
      as_of: startMs,
      by: "feed",
      confirmed: true,
      drift: {
        anchor: "64000",
        anchor_at: startMs - 5,
        allowance: "100000000000000000",
        held: { value: "70000", by: "other", at: startMs + 5 },
      },
    }
    assert.deepEqual(await acts(), [row, row])
  })

  it("of an older version is its own anchor, unless it waits for a person", async () => {
    const { drift, ...older } = btc
    assert.ok(drift)
    const { drift: later, ...fields } = priceFields(older)
    assert.equal(later, null)
    await act({ act: "price_set", ...fields })
    const anchor = { value: older.value, atMs: older.asOfMs }
    assert.deepEqual((await reopened()).prices, [{ ...older, drift: { anchor, allowance: 0n } }])
    await act({ act: "price_set", ...fields, confirmed: false })
    const waiting = { ...older, confirmed: false, drift: undefined }
    assert.deepEqual((await reopened()).prices, [waiting])
  })
})

describe("a raised limit", () => {
  const raise = (limit: string, until: number) =>
    ({ limit, to: "120.5", until, reason: "a busy hour" }) as const

  it("is found at the next start, also one that has ended by itself: who asks says at which time", async () => {
    const short = raise("mm/hourly", startMs + 1_000)
    const long = raise("mm/daily", startMs + 2_000)
    await act({ act: "limit_raised", ...long }, { act: "limit_raised", ...short })
    assert.deepEqual((await reopened()).raises, [long, short])
    clock.pass(3_000)
    assert.deepEqual((await reopened()).raises, [long, short])
    assert.deepEqual((await acts())[1], {
      act: "limit_raised",
      limit: "mm/hourly",
      to: "120.5",
      until: startMs + 1_000,
      reason: "a busy hour",
    })
  })
})

describe("a raise of a limit that is raised", () => {
  const raised = (limit: string, to: string, until: number) =>
    ({ act: "limit_raised", limit, to, until, reason: "r" }) as const

  it("ends the earlier one, also one of an older version that named no policy, and no other limit's", async () => {
    const others = raised("other/hourly", "3", startMs + 9_000)
    const latest = raised("mm/hourly", "2", startMs + 1_000)
    await act(
      raised("hourly", "4", startMs + 9_000),
      raised("mm/hourly", "9", startMs + 9_000),
      others,
      latest,
    )
    assert.deepEqual(
      (await reopened()).raises.map(({ limit, to }) => [limit, to]),
      [others, latest].map(({ limit, to }) => [limit, to]),
    )
  })

  it("is ended before its time", async () => {
    await act(raised("mm/hourly", "9", startMs + 9_000), {
      act: "limit_raise_ended",
      limit: "mm/hourly",
    })
    assert.deepEqual((await reopened()).raises, [])
  })
})

describe("a set of files", () => {
  const set = (hash: string): StoredSet => ({
    hash,
    files: [
      { name: "venue.yaml", text: `# ${hash} — ünïcode\n` },
      { name: "policies/0.yaml", text: "policy: a\n" },
    ],
  })
  const activated = (hash: string): Act => ({ act: "set_activated", ...set(hash) })

  it("is found at the next start when it was the last to be active", async () => {
    await act(activated("a"), activated("b"))
    assert.deepEqual((await reopened()).lastSet, set("b"))
    await act(activated("a"))
    assert.deepEqual((await reopened()).lastSet, set("a"))
    assert.deepEqual(await ledger.set("b"), set("b"))
  })

  it("is stored once, however often it is activated", async () => {
    await act(activated("a"), activated("a"))
    assert.deepEqual(await acts(), [
      { act: "set_activated", ...set("a") },
      { act: "set_activated", hash: "a" },
    ])
  })

  it("is known as accepted when it was the last to be", async () => {
    await act({ act: "set_accepted", hash: "a" }, { act: "set_accepted", hash: "b" })
    assert.equal((await reopened()).acceptedHash, "b")
    await act({ act: "set_accepted", hash: "a" })
    assert.equal((await reopened()).acceptedHash, "a")
    assert.deepEqual((await acts()).at(-1), { act: "set_accepted", hash: "a" })
  })
})
