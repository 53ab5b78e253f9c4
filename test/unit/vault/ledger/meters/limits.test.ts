import { afterEach, beforeEach, describe, it } from "node:test"
import assert from "node:assert/strict"

import type { Outcome } from "../../../../../src/link/calls/both-ways.ts"
import type { Ledger } from "../../../../../src/vault/ledger/ledger.ts"
import { openLedger } from "../../../../../src/vault/ledger/open-ledger.ts"
import type { RequestRow } from "../../../../../src/vault/ledger/records/row.ts"
import type { ReserveAsk } from "../../../../../src/vault/ledger/records/reservation.ts"
import type { Claim } from "../../../../../src/vault/policy/terms.ts"
import { formatDecimal } from "../../../../../src/venue/decimal.ts"
import { aClaim, dayFrom, decimal, hourMs, type ClaimChanges } from "../../../../support/a-claim.ts"
import { fakeClock, startMs, type FakeClock, ledgerTime } from "../../../../support/fake-clock.ts"
import {
  reserve,
  assertReserved,
  ledgerPlace,
  plainAsk,
  requestEntry,
  reserveAt,
  reserved,
  type LedgerPlace,
} from "../../../../support/ledger-ask.ts"
import { readLedger } from "../../../../support/read-ledger.ts"
import { countedAt, readSizes } from "../../../../../src/vault/ledger/records/request-row.ts"

const dayMs = 24 * hourMs

let place: LedgerPlace
let clock: FakeClock
let ledger: Ledger
/** The limits in force: what a request claims. */
let build: (request: RequestRow) => readonly Claim[]

beforeEach(async () => {
  place = await ledgerPlace()
  clock = fakeClock()
  build = () => [aClaim()]
  await open()
})
afterEach(async () => {
  await ledger.close()
  await place.remove()
})

async function open(): Promise<void> {
  ledger = await openLedger({ file: place.file, clock })
  await ledger.replaceMeters((request) => build(request), dayMs)
}

async function reopen(): Promise<void> {
  await ledger.close()
  await open()
}

function ask(changes: Partial<ReserveAsk> = {}) {
  return reserve(ledger, {
    ...plainAsk,
    claims: [aClaim()],
    nowMs: ledgerTime(clock.nowMs()),
    ...changes,
  })
}

async function take(changes: Partial<ReserveAsk> = {}) {
  const reservation = await ask(changes)
  assertReserved(reservation)
  return reservation
}

async function refusal(changes: Partial<ReserveAsk> = {}) {
  const reservation = await ask(changes)
  assert.equal(reservation.kind, "refused")
  return reservation.refusal
}

/** A refusal by a limit that is spent. */
async function spent(changes: Partial<ReserveAsk> = {}) {
  const answer = await refusal(changes)
  assert.ok(answer.code === "limit_exhausted")
  return answer.data
}

function used(changes: ClaimChanges = {}): string {
  const [room] = ledger.headroom([aClaim(changes)], ledgerTime(clock.nowMs()))
  return formatDecimal(room!.used)
}

describe("a limit in the ledger", () => {
  it("admits exactly its maximum of requests that come at once, and refuses the rest", async () => {
    const answers = await Promise.all(Array.from({ length: 25 }, () => ask()))
    assert.deepEqual(
      answers.map(({ kind }) => kind),
      [...Array<string>(10).fill("reserved"), ...Array<string>(15).fill("refused")],
    )
    assert.equal(await ledger.count(), 10)
  })

  it("says what is spent, and when it frees", async () => {
    await take({ claims: [aClaim({ amount: "9.5" })] })
    clock.pass(1_000)
    assert.deepEqual(await refusal(), {
      code: "limit_exhausted",
      message:
        "The limit market-maker/hourly is spent: 9.5 of 10 used, 1 asked; frees_at says when it has room.",
      data: {
        policy: "market-maker",
        limit: "hourly",
        max: "10",
        used: "9.5",
        asked: "1",
        room: "0.5",
        frees_at: startMs + hourMs,
        retry_after_ms: hourMs - 1_000,
      },
    })
    clock.pass(hourMs - 1_001)
    await refusal()
    clock.pass(1)
    await take()
  })

  it("says that it never allows what is more than its maximum", async () => {
    const data = await spent({ claims: [aClaim({ amount: "10.1" })] })
    assert.deepEqual([data.frees_at, data.retry_after_ms], [null, null])
  })

  it("counts nothing and takes no nonce of a request that it refuses", async () => {
    await take({ claims: [aClaim({ meter: "other", amount: "10" })] })
    await refusal({ claims: [aClaim(), aClaim({ meter: "other" })] })
    assert.equal(used(), "0")
    assert.equal((await take()).nonce, startMs + 1)
  })

  it("counts nothing of a request whose nonce is refused", async () => {
    while ((await reserveAt(ledger, clock.nowMs())).kind !== "refused");
    assert.equal((await refusal()).code, "signer_pace")
    assert.equal(used(), "0")
  })

  it("lets through what goes over a limit that only observes, and tells that it is over", async () => {
    const watched = aClaim({ mode: "observe", amount: "8" })
    await take({ claims: [watched] })
    await take({ claims: [watched] })
    const [room] = ledger.headroom([watched], ledgerTime(clock.nowMs()))
    assert.deepEqual([formatDecimal(room!.used), room!.fits], ["16", false])
  })

  it("tells its headroom without changing anything", async () => {
    await take({ claims: [aClaim({ amount: "4" })] })
    const [room] = ledger.headroom([aClaim({ amount: "7" })], ledgerTime(clock.nowMs()))
    assert.equal(formatDecimal(room!.used), "4")
    assert.equal(room!.fits, false)
    assert.equal(room!.freesAtMs, startMs + hourMs)
    assert.equal(used(), "4")
  })

  it("admits no claim before the meters were made, but what claims nothing", async () => {
    await ledger.close()
    ledger = await openLedger({ file: place.file, clock })
    const notYet = { name: "Fault", code: "ledger_unavailable", message: /hasn't been counted/ }
    await assert.rejects(ask(), notYet)
    assert.throws(() => ledger.headroom([aClaim()], ledgerTime(startMs)), notYet)
    assert.deepEqual(ledger.headroom([], ledgerTime(startMs)), [])
    await reserved(ledger, clock.nowMs())
    assert.equal(await ledger.count(), 1)
  })
})

describe("a limit after a restart", () => {
  it("goes on from what was used", async () => {
    await take()
    await take()
    await reopen()
    assert.equal(used(), "2")
    clock.pass(hourMs)
    assert.equal(used(), "0")
  })

  it("frees nothing when the clock was set back between two starts, and goes on by the time that passes", async () => {
    await Promise.all(Array.from({ length: 10 }, () => take()))
    clock.setWall(startMs - dayMs)
    await reopen()
    await refusal()
    clock.pass(hourMs - 1)
    assert.equal((await spent()).retry_after_ms, 1)
    clock.pass(1)
    await take()
    await reopen()
    assert.equal(used(), "1")
    clock.pass(hourMs - 1)
    assert.equal(used(), "1")
    clock.pass(1)
    assert.equal(used(), "0")
  })

  it("builds claims of what each request was sized at, and of when it was decided", async () => {
    const sizes = [
      { entry: decimal("64000.5"), legs: [null, decimal("1")], cost: null },
      { entry: { coefficient: 10n ** 60n + 1n, scale: 50 }, legs: [], cost: decimal("0.25") },
    ]
    const { record } = await take({ sizes })
    const seen: unknown[] = []
    build = (row) => {
      seen.push([row.id, row.body, row.at_ms, countedAt(row), readSizes(row)])
      return []
    }
    await reopen()
    assert.deepEqual(seen, [[record, requestEntry.body, startMs, startMs, sizes]])
    await ledger.close()
    assert.deepEqual(readLedger(place.file)[0]?.row["sizes"], [
      { entry: "64000.5", legs: [null, "1"], cost: null },
      {
        entry: "10000000000.00000000000000000000000000000000000000000000000001",
        legs: [],
        cost: "0.25",
      },
    ])
  })
})

describe("a limit and the clock", () => {
  it("frees nothing when the clock is set back, and goes on by the time that passes", async () => {
    await Promise.all(Array.from({ length: 10 }, () => take()))
    clock.setWall(startMs - dayMs)
    const data = await spent()
    assert.deepEqual([data.frees_at, data.retry_after_ms], [startMs - dayMs + hourMs, hourMs])
    clock.pass(hourMs - 1)
    await refusal()
    clock.pass(1)
    await take()
  })

  it("frees nothing by a clock that runs too far ahead", async () => {
    await Promise.all(Array.from({ length: 10 }, () => take()))
    clock.setWall(startMs + dayMs)
    await assert.rejects(ask(), { code: "clock_unsafe" })
    assert.equal(used(), "0", "as it would be if the time were right")
    clock.setWall(startMs)
    await refusal()
    assert.equal(await ledger.count(), 10)
  })

  it("counts a calendar day by the window that the claim brings", async () => {
    const day = { window: dayFrom(startMs, 25) }
    build = () => [aClaim(day)]
    await take({ claims: [aClaim({ ...day, amount: "10" })] })
    clock.pass(25 * hourMs - 1)
    await refusal({ claims: [aClaim(day)] })
    clock.pass(1)
    await take({ claims: [aClaim({ window: dayFrom(startMs + 25 * hourMs) })] })
  })
})

const outcomes = {
  sent: { kind: "sent" },
  unsent: { kind: "unsent" },
  accepted: { kind: "accepted", status: 200, code: "0" },
  refused: { kind: "refused", status: 400, code: "10001" },
  unknown: { kind: "unknown", status: 502 },
} as const satisfies Record<string, Outcome>

describe("a limit that gives back what the venue refused", () => {
  const refundable = { release: "refused", amount: "4" } as const
  const claims = [aClaim(refundable)]
  const words: readonly (readonly [(keyof typeof outcomes)[], string])[] = [
    [["sent", "refused"], "0"],
    [["unsent", "sent", "refused"], "0"],
    [["sent", "refused", "refused"], "0"],
    [["sent", "refused", "accepted"], "0"],
    [["refused"], "4"],
    [["sent"], "4"],
    [["sent", "accepted"], "4"],
    [["sent", "accepted", "refused"], "4"],
    [["sent", "unknown", "refused"], "4"],
    [["unknown", "sent", "refused"], "4"],
    [["sent", "sent", "refused"], "4"],
    [["refused", "sent", "refused"], "4"],
  ]
  it("has so much of 4 used after each of these words, also after a restart", async () => {
    const limitOf = (kinds: readonly string[]) => ({ ...refundable, meter: kinds.join(", ") })
    const expected = words.map(([kinds, left]) => [kinds.join(", "), left])
    const usedAfterAll = () => words.map(([kinds]) => [kinds.join(", "), used(limitOf(kinds))])
    const claimed = new Map<string, readonly Claim[]>()
    build = ({ id }) => claimed.get(id) ?? []
    for (const [kinds] of words) {
      const { record } = await take({ claims: [aClaim(limitOf(kinds))] })
      claimed.set(record, [aClaim(limitOf(kinds))])
      for (const kind of kinds)
        await ledger.settle(record, outcomes[kind], ledgerTime(clock.nowMs()))
    }
    assert.deepEqual(usedAfterAll(), expected)
    await reopen()
    assert.deepEqual(usedAfterAll(), expected)
  })

  it("gives back after a restart, and not a second time after another", async () => {
    build = () => claims
    const { record } = await take({ claims })
    await take({ claims })
    await ledger.settle(record, outcomes.sent, ledgerTime(clock.nowMs()))
    await reopen()
    assert.equal(used(refundable), "8")
    await ledger.settle(record, outcomes.refused, ledgerTime(clock.nowMs()))
    assert.equal(used(refundable), "4")
    await reopen()
    await ledger.settle(record, outcomes.refused, ledgerTime(clock.nowMs()))
    await ledger.settle(record, outcomes.sent, ledgerTime(clock.nowMs()))
    await ledger.settle(record, outcomes.refused, ledgerTime(clock.nowMs()))
    assert.equal(used(refundable), "4")
  })

  it("gives nothing back of a body that was returned, for others can send that too", async () => {
    const entry = { ...requestEntry, purpose: "return" } as const
    const { record } = await take({ claims, entry })
    for (const kind of ["sent", "refused"] as const) {
      await ledger.settle(record, outcomes[kind], ledgerTime(clock.nowMs()))
    }
    assert.equal(used(refundable), "4")
    await ledger.close()
    assert.equal("refunds" in readLedger(place.file)[0]!.row, false)
  })

  it("gives nothing back where the limit doesn't", async () => {
    const both = [aClaim({ amount: "4" }), ...claims]
    build = () => both
    const { record } = await take({ claims: both })
    for (const kind of ["sent", "refused"] as const) {
      await ledger.settle(record, outcomes[kind], ledgerTime(clock.nowMs()))
    }
    assert.equal(used(), "4")
    assert.equal(used(refundable), "0")
  })

  it("gives back at most its maximum within a window, across restarts", async () => {
    build = () => claims
    const lefts: string[] = []
    for (let round = 0; round < 5; round++) {
      const { record } = await take({ claims })
      for (const kind of ["sent", "refused"] as const) {
        await ledger.settle(record, outcomes[kind], ledgerTime(clock.nowMs()))
      }
      lefts.push(used(refundable))
      clock.pass(60_000)
      await reopen()
      assert.equal(used(refundable), lefts.at(-1))
      if (round === 3) break
    }
    assert.deepEqual(lefts, ["0", "0", "2", "6"])
    assert.equal(
      (await refusal({ claims: [aClaim({ ...refundable, amount: "4.1" })] })).code,
      "limit_exhausted",
    )
  })

  it("remembers after a restart what it gave back, also of what no longer counts", async () => {
    const all = [aClaim({ ...refundable, amount: "10" })]
    build = () => all
    const refuseAfter = async (waitMs: number): Promise<void> => {
      const { record } = await take({ claims: all })
      clock.pass(waitMs)
      for (const kind of ["sent", "refused"] as const) {
        await ledger.settle(record, outcomes[kind], ledgerTime(clock.nowMs()))
      }
    }
    await refuseAfter(hourMs - 1)
    assert.equal(used(refundable), "0")
    clock.pass(hourMs - 1) // the request is long past its window, what it gave back isn't
    await ledger.close()
    ledger = await openLedger({ file: place.file, clock })
    await ledger.replaceMeters(build, hourMs)
    await refuseAfter(0)
    assert.equal(used(refundable), "10")
    clock.pass(1)
    await ledger.replaceMeters(build, hourMs)
    assert.equal(used(refundable), "10")
  })

  it("is in the journal with what it would give back", async () => {
    const window = dayFrom(startMs)
    await take({ claims: [...claims, aClaim({ ...refundable, meter: "day", window })] })
    await ledger.close()
    assert.deepEqual(readLedger(place.file)[0]?.row["refunds"], [
      {
        meter: "orders:mm-bot",
        amount: "4",
        max: "10",
        window: { kind: "rolling", length_ms: hourMs },
      },
      {
        meter: "day",
        amount: "4",
        max: "10",
        window: { kind: "day", start_ms: startMs, end_ms: startMs + dayMs },
      },
    ])
  })
})
