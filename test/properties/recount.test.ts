import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { setImmediate as turnEnded } from "node:timers/promises"

import fc from "fast-check"

import type { Outcome } from "../../src/link/calls/both-ways.ts"
import type { Ledger } from "../../src/vault/ledger/ledger.ts"
import { openLedgerOver } from "../../src/vault/ledger/open-ledger.ts"
import type { RecordId } from "../../src/vault/ledger/records/record-id.ts"
import type { Reservation } from "../../src/vault/ledger/records/reservation.ts"
import type { JournalRow } from "../../src/vault/ledger/records/row.ts"
import { formatDecimal } from "../../src/venue/decimal.ts"
import { Disk, type Torn } from "../simulation/store/disk.ts"
import { MemoryStore } from "../simulation/store/memory-store.ts"
import { dayFrom } from "../support/a-claim.ts"
import { fakeClock, ledgerTime, startMs } from "../support/fake-clock.ts"
import { plainAsk, requestEntry } from "../support/ledger-ask.ts"
import {
  type PlainBody,
  plainClaims,
  type PlainLimit,
  usedByRows,
} from "../support/meter-oracle.ts"
import { numRuns } from "../support/runs.ts"

const rolling = (lengthMs: number) => ({ kind: "rolling", lengthMs }) as const
const all = { meter: "all", window: rolling(90_000), release: "never", max: 400, each: 1 } as const
const day = { meter: "day", window: dayFrom(startMs), max: 150 } as const

/** Files that follow one another. They share meters, and count by them what isn't the same. */
const sets: readonly (readonly PlainLimit[])[] = [
  [
    all,
    { meter: "short", window: rolling(2_000), release: "refused", max: 40, each: 1 },
    { meter: "long", window: rolling(60_000), release: "refused", max: 60, each: 1 },
    { ...day, release: "refused", each: 1 },
  ],
  [
    { ...all, each: 2 },
    { meter: "short", window: rolling(2_000), release: "never", max: 20, each: 2 },
    { meter: "long", window: rolling(60_000), release: "refused", max: 30, each: 3 },
  ],
  [
    all,
    { meter: "long", window: rolling(90_000), release: "refused", max: 50, each: 1 },
    { ...day, release: "never", each: 2 },
  ],
]
/** Longer than any window. */
const windowMs = 93_600_000

type Word = Outcome["kind"]

type Move =
  | ({ readonly does: "reserve" } & PlainBody)
  | { readonly does: "settle"; readonly back: number; readonly words: readonly Word[] }
  | { readonly does: "reload"; readonly set: number }
  | { readonly does: "commit"; readonly most: number; readonly isTold: boolean }
  | { readonly does: "pass"; readonly ms: number; readonly backMs: number }
  | { readonly does: "restart" }
  | { readonly does: "crash"; readonly torn: Torn }

const does = <Kind extends Move["does"]>(kind: Kind) => ({ does: fc.constant(kind) })
const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      ...does("reserve"),
      amount: fc.integer({ min: 1, max: 25 }),
      of: fc.subarray(["short", "long", "day"]).map((of) => ["all", ...of]),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      ...does("settle"),
      back: fc.nat(5),
      words: fc.oneof(
        { weight: 5, arbitrary: fc.constant<readonly Word[]>(["sent", "refused"]) },
        { weight: 2, arbitrary: fc.constant<readonly Word[]>(["sent"]) },
        { weight: 2, arbitrary: fc.constant<readonly Word[]>(["refused"]) },
        { weight: 1, arbitrary: fc.constant<readonly Word[]>(["sent", "unknown", "refused"]) },
        { weight: 1, arbitrary: fc.constant<readonly Word[]>(["sent", "accepted"]) },
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ ...does("reload"), set: fc.nat(2) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      ...does("commit"),
      most: fc.integer({ min: 1, max: 6 }),
      isTold: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      ...does("pass"),
      // No part is longer than 100 ms, so none is joined with another. A minute makes a snapshot due.
      ms: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constantFrom(300, 600)).map((n) => n * 100),
      backMs: fc.constantFrom(0, 0, 0, 5_000, 100_000),
    }),
  },
  { weight: 1, arbitrary: fc.record(does("restart")) },
  {
    weight: 2,
    arbitrary: fc.record({
      ...does("crash"),
      torn: fc.constantFrom<Torn[]>("nothing", "part", "all"),
    }),
  },
)

const outcomes: Readonly<Record<Word, Outcome>> = {
  sent: { kind: "sent" },
  unsent: { kind: "unsent" },
  unknown: { kind: "unknown", status: 502 },
  refused: { kind: "refused", status: 400, code: "10001" },
  accepted: { kind: "accepted", status: 200, code: "0" },
}

/** A ledger whose disk says nothing before it is asked to, and what is known of it from its rows alone. */
class History {
  readonly clock = fakeClock()
  /** How many starts had a snapshot. */
  spared = 0
  readonly #disk = new Disk()
  #store = new MemoryStore(this.#disk)
  #ledger: Ledger | undefined
  #set = 0
  /** The time that is counted by: it doesn't go back. */
  #timeMs = this.clock.nowMs()
  /** How many entries there were when all was told last, and since. */
  #told = 0
  #asked: Promise<unknown>[] = []
  readonly #records: RecordId[] = []

  get ledger(): Ledger {
    assert.ok(this.#ledger)
    return this.#ledger
  }

  get limits(): readonly PlainLimit[] {
    return sets[this.#set]!
  }

  async start(): Promise<void> {
    this.#asked = []
    const store = new MemoryStore(this.#disk)
    this.#store = store
    this.#told = store.tables.entries.length
    const openStore = () => Promise.resolve({ store, state: store.state() })
    this.#ledger = await openLedgerOver(openStore, { clock: this.clock })
    const counted = this.#rows().flatMap((row) =>
      row.kind === "request" ? [row.counted_at ?? row.at_ms] : [],
    )
    this.#timeMs = Math.max(this.clock.nowMs(), ...counted)
    this.#reload(this.#set)
    await this.settle()
    this.compare("after a start")
  }

  async take(one: Move): Promise<void> {
    switch (one.does) {
      case "reserve":
        this.#reserve(one)
        break
      case "settle":
        this.#settle(one.back, one.words)
        break
      case "reload":
        this.#reload(one.set)
        break
      case "commit":
        this.#store.commit(one.most)
        if (one.isTold) await this.#tell()
        break
      case "pass":
        // What is given back live counts as given back when it is heard: nothing may pass meanwhile.
        await this.settle()
        this.compare("before time passes")
        this.clock.pass(one.ms)
        this.#timeMs += one.ms
        this.clock.setWall(this.clock.nowMs() - one.backMs)
        this.#timeMs = Math.max(this.#timeMs, this.clock.nowMs())
        break
      case "restart":
        await this.close()
        this.#setClockRight()
        await this.start()
        break
      case "crash":
        this.#store.crash(one.torn)
        this.#setClockRight()
        await this.start()
        break
    }
  }

  /** Waits until all that was asked is done. */
  async settle(): Promise<void> {
    let isDone = false as boolean // changed in the callback
    const done = Promise.all(this.#asked).then(() => (isDone = true))
    done.catch(() => undefined)
    while (!isDone || !this.#store.isIdle) {
      this.#store.commit(Infinity)
      await this.#tell()
      await turnEnded()
    }
    await done
    this.#asked = []
  }

  /** While some of what was asked is on its way: a reload that isn't done is given up. */
  async close(): Promise<void> {
    const closed = this.ledger.close()
    const asked = this.#asked.map((each) => each.catch(() => undefined))
    this.#asked = [...asked, closed]
    await this.settle()
  }

  /** What each limit says is used, now and later, and whether more fits, against all rows. */
  compare(when: string): void {
    for (const afterMs of [0, 1, 1_900, 2_000, 30_000, 60_000, 89_999]) {
      const nowMs = this.clock.nowMs() + afterMs
      const claims = this.limits.flatMap((limit) =>
        plainClaims(JSON.stringify({ amount: 7, of: [limit.meter] }), [limit]),
      )
      const rooms = this.ledger.headroom(claims, ledgerTime(nowMs))
      const told = rooms.map(({ used, fits }) => [formatDecimal(used), fits])
      const wanted = this.limits.map((limit) => {
        const used = this.#used(limit, this.#rows(), Math.max(nowMs, this.#timeMs))
        return [String(used), used + 7 * limit.each <= limit.max]
      })
      assert.deepEqual(told, wanted, `${when}, ${afterMs} ms later`)
    }
  }

  /** Every row that was asked to be written, without outcomes that nobody was told of. */
  #rows(): readonly JournalRow[] {
    const written = this.#store.tables.entries.map(({ row }) => row)
    const told = written.slice(0, this.#told)
    const untold = [...written.slice(this.#told), ...this.#store.queued]
    return [...told, ...untold.filter(({ kind }) => kind !== "outcome")]
  }

  #used(limit: PlainLimit, rows: readonly JournalRow[], atMs: number): number {
    return usedByRows(rows, limit, atMs)
  }

  async #tell(): Promise<void> {
    this.#store.tell()
    await turnEnded()
    this.#told = this.#store.tables.entries.length
  }

  #reserve({ amount, of }: PlainBody): void {
    const body = JSON.stringify({ amount, of })
    const rows = this.#rows()
    const nowMs = this.clock.nowMs()
    const asked = this.limits.filter(({ meter }) => of.includes(meter))
    const uses = asked.map((limit) => ({ limit, used: this.#used(limit, rows, this.#timeMs) }))
    const entry = { ...requestEntry, body }
    const claims = plainClaims(body, this.limits)
    const ask = { ...plainAsk, entry, claims, nowMs: ledgerTime(nowMs) }
    let answer: Reservation | undefined
    const answered = this.ledger.decide([], (turn) => {
      answer = turn.reserve(ask)
      return () => undefined
    })
    answered.catch(() => undefined)
    this.#asked.push(answered)
    assert.ok(answer !== undefined, "a turn runs within the call")
    if (answer.kind === "reserved") this.#records.push(answer.record)
    const isSpent = answer.kind === "refused" && answer.refusal.code === "limit_exhausted"
    const short = uses.filter(({ limit, used }) => used + amount * limit.each > limit.max)
    assert.equal(isSpent, short.length > 0, JSON.stringify({ answer, short }))
    if (!isSpent || answer.kind !== "refused") return
    const data = answer.refusal.data as { readonly limit: string; readonly used: string }
    assert.equal(data.used, String(short.find(({ limit }) => limit.meter === data.limit)?.used))
  }

  /** A start by a clock that was set back can't know how much time has passed: see meter-snapshots.ts. */
  #setClockRight(): void {
    this.clock.setWall(this.#timeMs)
  }

  #settle(back: number, words: readonly Word[]): void {
    const record = this.#records.at(-1 - back)
    // A crash may have taken the request.
    if (record === undefined || !this.#rows().some(({ id }) => id === record)) return
    for (const word of words) {
      const settled = this.ledger.settle(record, outcomes[word], ledgerTime(this.clock.nowMs()))
      settled.catch(() => undefined)
      this.#asked.push(settled)
    }
  }

  #reload(set: number): void {
    let folded = 0
    const build = (row: { readonly body: string }) => {
      folded += 1
      return plainClaims(row.body, sets[set]!)
    }
    const requests = this.#rows().filter(({ kind }) => kind === "request").length
    const exchanged = () => {
      this.#set = set
      if (folded < requests) this.spared += 1
    }
    const done = this.ledger.replaceMeters(build, windowMs, { countedBy: `set ${set}`, exchanged })
    done.catch(() => undefined)
    this.#asked.push(done)
  }
}

describe("meters after any cut", () => {
  it("equal a full recount of all rows, and so do the answers of reservations", async () => {
    let spared = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(move, { minLength: 10, maxLength: 80, size: "max" }),
        async (moves) => {
          const history = new History()
          await history.start()
          for (const one of moves) await history.take(one)
          await history.settle()
          history.compare("at the end")
          spared += history.spared
        },
      ),
      numRuns(60),
    )
    assert.ok(spared > 0, "no start was spared anything by a snapshot")
  })
})
