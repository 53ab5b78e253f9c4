import { describe, it } from "node:test"
import assert from "node:assert/strict"
import fc from "fast-check"

import type { Ledger } from "../../../../src/vault/ledger/ledger.ts"
import { openLedger } from "../../../../src/vault/ledger/open-ledger.ts"
import { countedAt } from "../../../../src/vault/ledger/records/request-row.ts"
import type { RequestRow } from "../../../../src/vault/ledger/records/row.ts"
import type { Claim } from "../../../../src/vault/policy/terms.ts"
import { formatDecimal } from "../../../../src/venue/decimal.ts"
import { aClaim, hourMs } from "../../../support/a-claim.ts"
import { fakeClock, startMs, ledgerTime } from "../../../support/fake-clock.ts"
import {
  reserve,
  assertReserved,
  ledgerPlace,
  plainAsk,
  recordedSince,
  reserved,
} from "../../../support/ledger-ask.ts"
import { clock, ledger, openLedgerForEach } from "../../../support/ledger-for-each.ts"
import { numRuns } from "../../../support/runs.ts"

openLedgerForEach()

function historyFrom(sinceMs: number): Promise<readonly RequestRow[]> {
  return recordedSince(ledger, sinceMs)
}

function used(meter: string): string {
  const [room] = ledger.headroom([aClaim({ meter })], ledgerTime(clock.nowMs()))
  return formatDecimal(room!.used)
}

describe("history", () => {
  it("begins exactly where it is asked to", async () => {
    const first = await reserved(ledger, clock.nowMs())
    clock.pass(10)
    const second = await reserved(ledger, clock.nowMs())
    const ids = async (sinceMs: number) => (await historyFrom(sinceMs)).map(({ id }) => id)
    assert.deepEqual(await ids(startMs), [first.record, second.record])
    assert.deepEqual(await ids(startMs + 1), [second.record])
    assert.deepEqual(await ids(startMs + 10), [second.record])
    assert.deepEqual(await ids(startMs + 11), [])
    assert.deepEqual(await ids(-Infinity), [first.record, second.record])
  })

  it("goes over many pages, in the order of counting", async () => {
    const reservations = []
    for (let count = 0; count < 701; count++) {
      clock.pass(1) // a signer's pace
      reservations.push(await reserved(ledger, clock.nowMs()))
    }
    const records = await historyFrom(0)
    assert.deepEqual(
      records.map(({ id }) => id),
      reservations.map(({ record }) => record),
    )
  })

  it("ends with what was recorded before its first step", async () => {
    const before = await reserved(ledger, clock.nowMs())
    const seen: string[] = []
    for await (const { id } of ledger.history(0)) {
      await reserved(ledger, clock.nowMs())
      seen.push(id)
    }
    assert.deepEqual(seen, [before.record])
  })

  it("tells when a request was counted, where the clock had gone back", async () => {
    await reserved(ledger, clock.nowMs())
    clock.setWall(startMs - hourMs)
    clock.pass(7)
    await reserved(ledger, clock.nowMs())
    const [first, second] = await historyFrom(startMs)
    assert.deepEqual([first!.at_ms, countedAt(first!)], [startMs, startMs])
    assert.deepEqual([second!.at_ms, countedAt(second!)], [startMs - hourMs + 7, startMs + 7])
  })

  it("fails when the ledger is closed", async () => {
    await ledger.close()
    await assert.rejects(historyFrom(0), { code: "ledger_unavailable" })
  })
})

describe("replacing the meters", () => {
  it("counts the past by the limits that hold from now on", async () => {
    await ledger.replaceMeters(() => [aClaim({ meter: "old" })], Infinity)
    for (let count = 0; count < 3; count++) {
      await reserve(ledger, {
        ...plainAsk,
        claims: [aClaim({ meter: "old" })],
        nowMs: ledgerTime(startMs),
      })
    }
    assert.equal(used("old"), "3")
    await ledger.replaceMeters(() => [aClaim({ meter: "new", amount: "2" })], Infinity)
    assert.equal(used("old"), "0")
    assert.equal(used("new"), "6")
  })

  it("counts what was allowed above a maximum that is lower now, and refuses more", async () => {
    await ledger.replaceMeters(() => [], Infinity)
    for (let count = 0; count < 3; count++) await reserved(ledger, startMs)
    const claim = aClaim({ max: "2" })
    await ledger.replaceMeters(() => [claim], Infinity)
    const answer = await reserve(ledger, {
      ...plainAsk,
      claims: [claim],
      nowMs: ledgerTime(startMs),
    })
    assert.equal(answer.kind, "refused")
  })

  it("leaves out what lies before the window that it is asked for", async () => {
    await reserved(ledger, startMs)
    clock.pass(1)
    await reserved(ledger, startMs + 1)
    await ledger.replaceMeters(() => [aClaim()], 0)
    assert.equal(used("orders:mm-bot"), "1")
  })

  it("tells in the same turn when the new meters are in force", async () => {
    await reserved(ledger, startMs)
    await ledger.replaceMeters(() => [aClaim({ meter: "old" })], Infinity)
    let seen: readonly string[] = []
    await ledger.replaceMeters(() => [aClaim({ meter: "new" })], Infinity, {
      exchanged: () => (seen = [used("old"), used("new")]),
    })
    assert.deepEqual(seen, ["0", "1"])
  })

  it("keeps the old meters when it fails", async () => {
    await ledger.replaceMeters(() => [], Infinity)
    await reserve(ledger, { ...plainAsk, claims: [aClaim()], nowMs: ledgerTime(startMs) })
    const failing = ledger.replaceMeters(() => {
      throw new Error("no such symbol")
    }, Infinity)
    await assert.rejects(failing, /no such symbol/)
    assert.equal(used("orders:mm-bot"), "1")
    await ledger.replaceMeters(() => [aClaim({ amount: "5" })], Infinity)
    assert.equal(used("orders:mm-bot"), "5")
  })

  it("ends with the meters of the last call when several come at once", async () => {
    await reserved(ledger, startMs)
    await Promise.all(
      ["first", "second", "third"].map((meter) =>
        ledger.replaceMeters(() => [aClaim({ meter })], Infinity),
      ),
    )
    assert.deepEqual(["first", "second", "third"].map(used), ["0", "0", "1"])
  })

  it("counts each request once that is reserved, refused by the venue or given back meanwhile", async () => {
    type Step = "reserve" | "refuse" | "yield" | "replace" | "restart"
    const step = fc.constantFrom<Step>("reserve", "reserve", "refuse", "yield", "yield", "replace")
    const steps = fc.array(
      fc.oneof({ weight: 20, arbitrary: step }, fc.constant("restart" as const)),
      {
        minLength: 5,
        maxLength: 60,
        size: "max",
      },
    )
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const own = await ledgerPlace()
        const run = await replay(own.file, sequence)
        await own.remove()
        assert.deepEqual(run.used, run.expected)
      }),
      numRuns(4),
    )
  })
})

/**
 * Reserves, reports refusals and replaces meters without waiting in between, and compares in the end what
 * is used with what each answer said. Claims are of two meters, of which one gives back.
 */
async function replay(file: string, sequence: readonly string[]) {
  const run = new Run(await openLedger({ file, clock: fakeClock() }))
  await run.replace()
  for (let count = 0; count < 420; count++) run.reserve() // more than two pages of history
  await run.settled()
  for (const step of sequence) {
    if (step === "reserve") run.reserve()
    else if (step === "refuse") run.refuseOne()
    else if (step === "replace") void run.replace()
    else if (step === "yield") await new Promise((resolve) => setImmediate(resolve))
    else {
      await run.settled()
      await run.ledger.close()
      run.ledger = await openLedger({ file, clock: fakeClock() })
      await run.replace()
    }
  }
  await run.settled()
  const result = { used: run.used(), expected: run.expected() }
  await run.ledger.close()
  return result
}

/** What was asked of a ledger, and what it answered. */
class Run {
  ledger: Ledger
  readonly #waiting = new Set<Promise<unknown>>()
  readonly #sent: string[] = []
  #reserved = 0
  #refused = 0

  constructor(ledger: Ledger) {
    this.ledger = ledger
  }

  claims(): readonly Claim[] {
    return [
      aClaim({ meter: "all", max: "1000", limit: "all" }),
      aClaim({ meter: "back", max: "1000", limit: "back", release: "refused", amount: "0.5" }),
    ]
  }

  replace(): Promise<void> {
    return this.#follow(this.ledger.replaceMeters(() => this.claims(), Infinity))
  }

  reserve(): void {
    const ask = { ...plainAsk, claims: this.claims(), nowMs: ledgerTime(startMs) }
    const done = reserve(this.ledger, ask).then((reservation) => {
      assertReserved(reservation)
      this.#reserved += 1
      this.#sent.push(reservation.record)
    })
    void this.#follow(done)
  }

  refuseOne(): void {
    const record = this.#sent.shift()
    if (record === undefined) return
    this.#refused += 1
    void this.#follow(this.ledger.settle(record, { kind: "sent" }, ledgerTime(startMs)))
    const refused = { kind: "refused", status: 400, code: "1" } as const
    void this.#follow(this.ledger.settle(record, refused, ledgerTime(startMs)))
  }

  async settled(): Promise<void> {
    await Promise.all(this.#waiting)
  }

  used(): readonly string[] {
    return this.ledger
      .headroom(this.claims(), ledgerTime(startMs))
      .map((room) => formatDecimal(room.used))
  }

  expected(): readonly string[] {
    const halves = this.#reserved - this.#refused
    return [`${this.#reserved}`, halves % 2 === 0 ? `${halves / 2}` : `${(halves - 1) / 2}.5`]
  }

  #follow<Value>(promise: Promise<Value>): Promise<Value> {
    this.#waiting.add(promise)
    return promise
  }
}
