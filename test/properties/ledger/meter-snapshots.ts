import { copyFile, rm } from "node:fs/promises"
import { DatabaseSync } from "node:sqlite"
import { describe, it } from "node:test"
import assert from "node:assert/strict"
import fc from "fast-check"

import type { Ledger } from "../../../src/vault/ledger/ledger.ts"
import { openLedger, openLedgerOver } from "../../../src/vault/ledger/open-ledger.ts"
import type { RequestRow } from "../../../src/vault/ledger/records/row.ts"
import type { Claim } from "../../../src/vault/policy/terms.ts"
import { formatDecimal } from "../../../src/venue/decimal.ts"
import { aClaim, dayFrom, hourMs, type ClaimChanges } from "../../support/a-claim.ts"
import { fakeClock, startMs, type FakeClock, ledgerTime } from "../../support/fake-clock.ts"
import { reserve, plainAsk, requestEntry } from "../../support/ledger-ask.ts"
import type { FileEngine, FilePlace } from "../../support/ledger-engines.ts"
import { numRuns } from "../../support/runs.ts"

const limits: readonly ClaimChanges[] = [
  { meter: "short", lengthMs: 5_000, release: "refused", max: "40" },
  { meter: "hour", lengthMs: hourMs },
  { meter: "hour given back", lengthMs: hourMs, release: "refused", max: "30" },
  { meter: "day", window: dayFrom(startMs), release: "refused", max: "50" },
]

/** A request's body names its limits, so that its claims can be made again. */
function bodyOf({
  amount,
  of,
}: {
  readonly amount: number
  readonly of: readonly number[]
}): string {
  return JSON.stringify({ amount, of })
}

function claimsIn({ body }: { readonly body: string }): readonly Claim[] {
  const { amount, of } = JSON.parse(body) as { amount: number; of: readonly number[] }
  return of.flatMap((index) => {
    const limit = limits[index]
    // Far above what is taken, so that each request counts; refunds go by the limit's own maximum.
    return limit === undefined ? [] : [aClaim({ ...limit, mode: "observe", amount: `${amount}.5` })]
  })
}

type Step =
  | { readonly kind: "reserve"; readonly amount: number; readonly of: readonly number[] }
  | {
      readonly kind: "settle"
      readonly place: number
      readonly words: readonly ("sent" | "refused" | "unknown")[]
    }

/** What is done in one turn, then what the clocks do. */
type Turn = {
  readonly steps: readonly Step[]
  readonly passMs: number
  readonly backMs: number
  readonly then: "go on" | "restart" | "crash"
}

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant("reserve" as const),
    amount: fc.nat(9),
    of: fc.subarray([0, 1, 2, 3], { minLength: 1 }),
  }),
  fc.record({
    kind: fc.constant("settle" as const),
    place: fc.nat(20),
    words: fc.constantFrom<Extract<Step, { kind: "settle" }>["words"][]>(
      ["sent", "refused"],
      ["sent"],
      ["refused"],
      ["refused", "unknown"],
      ["sent", "refused", "refused"],
    ),
  }),
)
const turns: fc.Arbitrary<readonly Turn[]> = fc.array(
  fc.record({
    // One outcome at most: releases of the same millisecond have no order of their own.
    steps: fc
      .array(step, { maxLength: 4 })
      .filter((steps) => steps.filter(({ kind }) => kind === "settle").length <= 1),
    // Above a minute the next request brings a snapshot.
    passMs: fc.oneof(fc.integer({ min: 1, max: 3_000 }), fc.constantFrom(60_000, hourMs)),
    backMs: fc.oneof(
      { weight: 6, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.nat(100_000) },
    ),
    then: fc.oneof(
      { weight: 5, arbitrary: fc.constant("go on" as const) },
      { weight: 1, arbitrary: fc.constantFrom("restart" as const, "crash" as const) },
    ),
  }),
  { minLength: 3, maxLength: 14, size: "max" },
)

/** A copy of the files of a ledger that is open: what a crash leaves. */
async function copyLedger(from: string, to: string): Promise<void> {
  await rm(`${to}-wal`, { force: true })
  await copyFile(from, to)
  await copyFile(`${from}-wal`, `${to}-wal`)
}

function forgetSnapshot(file: string): void {
  const database = new DatabaseSync(file)
  database.exec("DELETE FROM meter_snapshots")
  database.close()
}

/** A copy is opened alone, whatever engine its ledger has. */
async function openCopy(file: string, clock: FakeClock) {
  return counted(await openLedger({ file, clock }))
}

/** Counts how many requests were folded. */
async function counted(ledger: Ledger) {
  let folded = 0
  const build = (request: RequestRow): readonly Claim[] => {
    folded += 1
    return claimsIn(request)
  }
  await ledger.replaceMeters(build, Infinity, { countedBy: "these limits" })
  return { ledger, folded }
}

/** What is used, and when it frees, now and at later times. */
function tell(ledger: Ledger, nowMs: number): readonly unknown[] {
  const claims = limits.map((limit) => aClaim({ ...limit, amount: "10" }))
  const laterMs = [0, 1, 2_499, 5_000, 60_000, hourMs - 60_000, hourMs, 24 * hourMs]
  return laterMs.map((ms) => ({
    rooms: ledger
      .headroom(claims, ledgerTime(nowMs + ms))
      .map(({ used, freesAtMs, fits }) => [formatDecimal(used), freesAtMs, fits]),
    usage: ledger
      .usage(ledgerTime(nowMs + ms))
      .map(({ meter, used }) => [meter, formatDecimal(used)])
      .sort(),
  }))
}

/** A ledger, and what a person sees who follows along. */
class Run {
  readonly clock = fakeClock()
  readonly #place: FilePlace
  readonly #file: string
  readonly #copy: string
  readonly #records: string[] = []
  #ledger: Ledger | undefined
  isSpared = false

  constructor(place: FilePlace) {
    this.#place = place
    this.#file = place.file
    this.#copy = `${place.file}.copy`
  }

  async start(): Promise<void> {
    const { clock } = this
    this.#ledger = (await counted(await openLedgerOver(this.#place.openStore, { clock }))).ledger
  }

  async take({ steps, passMs, backMs, then }: Turn): Promise<void> {
    await Promise.all(steps.map((each) => this.#take(each)))
    if (then !== "go on" || steps.length > 2) await this.compare()
    if (then !== "go on") {
      if (then === "crash") await copyLedger(this.#file, this.#copy)
      await this.close()
      if (then === "crash") {
        await copyFile(this.#copy, this.#file)
        await copyFile(`${this.#copy}-wal`, `${this.#file}-wal`)
      }
      await this.start()
    }
    this.clock.pass(passMs)
    if (backMs > 0) this.clock.setWall(this.clock.nowMs() - backMs)
  }

  /** A start from a snapshot against one that counts all, after a crash right now. */
  async compare(): Promise<void> {
    const left = `${this.#copy}.left`
    await copyLedger(this.#file, left)
    await copyLedger(left, this.#copy)
    const quick = await openCopy(this.#copy, this.clock)
    const told = tell(quick.ledger, this.clock.nowMs())
    await quick.ledger.close()
    await copyLedger(left, this.#copy)
    forgetSnapshot(this.#copy)
    const whole = await openCopy(this.#copy, this.clock)
    const wanted = tell(whole.ledger, this.clock.nowMs())
    await whole.ledger.close()
    assert.deepEqual(told, wanted)
    if (quick.folded < whole.folded) this.isSpared = true
  }

  async close(): Promise<void> {
    await this.#ledger?.close()
  }

  async #take(one: Step): Promise<void> {
    const ledger = this.#ledger
    if (ledger === undefined) throw new Error("not started")
    if (one.kind === "reserve") {
      const body = bodyOf(one)
      const answer = await reserve(ledger, {
        ...plainAsk,
        entry: { ...requestEntry, body },
        claims: claimsIn({ body }),
        nowMs: ledgerTime(this.clock.nowMs()),
      })
      if (answer.kind === "reserved") this.#records.push(answer.record)
      return
    }
    const record = this.#records[one.place % Math.max(1, this.#records.length)]
    if (record === undefined) return
    const outcomes = {
      sent: { kind: "sent" },
      refused: { kind: "refused", status: 400, code: "10001" },
      unknown: { kind: "unknown", status: 502 },
    } as const
    const nowMs = this.clock.nowMs()
    await Promise.all(
      one.words.map((word) => ledger.settle(record, outcomes[word], ledgerTime(nowMs))),
    )
  }
}

/** What this engine has in its file beside the entries. */
export function holdMeterSnapshots(engine: FileEngine): void {
  describe("a start from a snapshot of the meters", () => {
    it("knows exactly what one knows that counts everything, at any later time", async () => {
      let spared = 0
      await fc.assert(
        fc.asyncProperty(turns, async (sequence) => {
          const place = await engine.place()
          const run = new Run(place)
          try {
            await run.start()
            for (const turn of sequence) await run.take(turn)
            await run.compare()
            if (run.isSpared) spared += 1
          } finally {
            await run.close()
            await place.remove()
          }
        }),
        numRuns(5),
      )
      assert.ok(spared > 0, "no start was spared anything")
    })
  })
}
