import { copyFile } from "node:fs/promises"
import { afterEach, beforeEach, describe, it } from "node:test"

import type { Ledger } from "../../../../../src/vault/ledger/ledger.ts"
import {
  maxAgeMs,
  maxChanges,
  openMeterSnapshots,
} from "../../../../../src/vault/ledger/meters/limits.ts"
import { openMeters } from "../../../../../src/vault/ledger/meters/meters.ts"
import {
  readSnapshot,
  snapshotVersion,
  writeImage,
} from "../../../../../src/vault/ledger/meters/snapshot-text.ts"
import { openLedger } from "../../../../../src/vault/ledger/open-ledger.ts"
import type { SnapshotStep } from "../../../../../src/vault/ledger/store/meter-queries.ts"
import type { LedgerStore } from "../../../../../src/vault/ledger/store/store.ts"
import { formatDecimal } from "../../../../../src/venue/decimal.ts"
import { aClaim, hourMs } from "../../../../support/a-claim.ts"
import { change, openKept, type KeptAsk } from "../../../../support/a-snapshot.ts"
import { fakeClock, startMs, type FakeClock, ledgerTime } from "../../../../support/fake-clock.ts"
import {
  reserve,
  assertReserved,
  ledgerPlace,
  plainAsk,
  type LedgerPlace,
} from "../../../../support/ledger-ask.ts"
import { query } from "../../../../support/read-ledger.ts"

import assert from "node:assert/strict"

let place: LedgerPlace
let clock: FakeClock
let ledger: Ledger

const refundable = [aClaim({ release: "refused", amount: "4" })]
const refused = { kind: "refused", status: 400, code: "10001" } as const

beforeEach(async () => {
  place = await ledgerPlace()
  clock = fakeClock()
  ledger = (await openKept({ file: place.file, clock })).ledger
})
afterEach(async () => {
  await ledger.close()
  await place.remove()
})

function take(claims = [aClaim()]) {
  return reserve(ledger, { ...plainAsk, claims, nowMs: ledgerTime(clock.nowMs()) })
}

async function takeRefundable(): Promise<string> {
  const reservation = await take(refundable)
  assertReserved(reservation)
  await ledger.settle(reservation.record, { kind: "sent" }, ledgerTime(clock.nowMs()))
  return reservation.record
}

/** Returns how many requests the start had to fold. */
async function restart(changes: Partial<KeptAsk> = {}): Promise<number> {
  await ledger.close()
  const opened = await openKept({ file: place.file, clock, ...changes })
  ledger = opened.ledger
  return opened.folded
}

/** Starts from what is on the disk now, and never was closed. */
async function crash(changes: Partial<KeptAsk> = {}): Promise<number> {
  const left = `${place.file}.left`
  await copyFile(place.file, left)
  await copyFile(`${place.file}-wal`, `${left}-wal`)
  await ledger.close()
  const opened = await openKept({ file: left, clock, ...changes })
  ledger = opened.ledger
  return opened.folded
}

/** A snapshot of a small ledger takes three batches: its begin, its text, its end. */
async function snapshotWritten(): Promise<void> {
  for (let batch = 0; batch < 5; batch++) await ledger.count()
}

function used(claim = aClaim()): string {
  return formatDecimal(ledger.headroom([claim], ledgerTime(clock.nowMs()))[0]!.used)
}

describe("a start after an orderly stop", () => {
  it("folds nothing and knows what was used", async () => {
    await take()
    await take()
    assert.equal(await restart(), 0)
    assert.equal(used(), "2")
    assert.equal(await restart(), 0, "nor after a stop at which nothing had changed")
    assert.equal(used(), "2")
    clock.pass(hourMs)
    assert.equal(used(), "0")
  })

  it("folds everything by other limits, and nothing by the same ones the next time", async () => {
    await take()
    assert.equal(await restart({ countedBy: "other limits", claims: [aClaim({ amount: "3" })] }), 1)
    assert.equal(used(), "3")
    assert.equal(await restart({ countedBy: "other limits" }), 0)
    assert.equal(used(), "3")
  })

  it("goes on by the time that was counted last when the clock was set back", async () => {
    await take()
    clock.setWall(startMs - 24 * hourMs)
    assert.equal(await restart(), 0)
    clock.pass(hourMs - 1)
    assert.equal(used(), "1")
    clock.pass(1)
    assert.equal(used(), "0")
  })

  it("keeps one snapshot, and nothing of earlier ones", async () => {
    for (let round = 0; round < 3; round++) {
      await take()
      await restart()
    }
    await ledger.close()
    const kept = query(place.file, "SELECT id, seq FROM meter_snapshots")
    const [newest] = kept
    assert.deepEqual(
      kept.map(({ seq }) => seq),
      [3],
    )
    const texts = query(place.file, "SELECT snapshot FROM meter_snapshot_texts")
    assert.deepEqual(
      texts.map(({ snapshot }) => snapshot),
      [newest?.["id"]],
    )
  })

  it("keeps none where what was counted by has no name", async () => {
    await ledger.close()
    change(place.file, "DELETE FROM meter_snapshots")
    ledger = await openLedger({ file: place.file, clock })
    await ledger.replaceMeters(() => [], Infinity)
    await take()
    await ledger.close()
    assert.deepEqual(query(place.file, "SELECT id FROM meter_snapshots"), [])
  })
})

describe("a start after a crash", () => {
  it("folds only what came after the last snapshot", async () => {
    await take()
    await snapshotWritten()
    clock.pass(maxAgeMs)
    await take() // brings a snapshot of what came before it
    await take()
    await snapshotWritten()
    assert.equal(await crash(), 2)
    assert.equal(used(), "3")
  })

  it("gives back what was refused since, also of requests that the snapshot holds", async () => {
    const record = await takeRefundable()
    await restart({ claims: refundable })
    await ledger.settle(record, refused, ledgerTime(clock.nowMs()))
    assert.equal(await crash({ claims: refundable }), 1)
    assert.equal(used(refundable[0]), "0")
  })

  it("gives back what was refused when the snapshot was taken, and not yet durable", async () => {
    await restart({ claims: refundable })
    const record = await takeRefundable()
    await snapshotWritten()
    clock.pass(maxAgeMs)
    const settled = ledger.settle(record, refused, ledgerTime(clock.nowMs()))
    await Promise.all([settled, take()])
    await snapshotWritten()
    assert.equal(await crash({ claims: refundable }), 2, "the release and the last request")
    assert.equal(used(refundable[0]), "4")
  })

  it("gives nothing back twice when another word was on its way as the snapshot was taken", async () => {
    await restart({ claims: refundable })
    await takeRefundable()
    const record = await takeRefundable()
    await ledger.settle(record, refused, ledgerTime(clock.nowMs()))
    await snapshotWritten()
    clock.pass(maxAgeMs)
    const settled = ledger.settle(record, refused, ledgerTime(clock.nowMs()))
    await Promise.all([settled, take([aClaim({ meter: "other" })])])
    await snapshotWritten()
    assert.equal(await crash({ claims: refundable }), 1)
    assert.equal(used(refundable[0]), "8", "4 of the first, 4 by the last as it is built")
  })
})

describe("a snapshot that can't be read", () => {
  const damages = [
    ["a text that was changed", "UPDATE meter_snapshot_texts SET text = replace(text, '1', '0')"],
    ["a text that is gone", "DELETE FROM meter_snapshot_texts"],
    ["another place in the journal", "UPDATE meter_snapshots SET seq = seq - 1"],
    ["a place that the journal hasn't reached", "UPDATE meter_snapshots SET seq = seq + 1"],
    ["a changed head", "UPDATE meter_snapshots SET head = replace(head, '178', '179')"],
    ["no head", "UPDATE meter_snapshots SET head = ''"],
    ["a wrong hash", "UPDATE meter_snapshots SET hash = zeroblob(32)"],
  ] as const
  for (const [what, sql] of damages) {
    it(`is as good as none: ${what}`, async () => {
      await take()
      await take()
      await ledger.close()
      change(place.file, sql)
      assert.equal(await restart(), 2)
      assert.equal(used(), "2")
      assert.equal(await restart(), 0, "the next one is whole")
    })
  }

  it("is as good as none when another version wrote it", () => {
    const head = { version: snapshotVersion, countedBy: "x", highWaterMs: null, unheard: [] }
    const read = (changes: object, texts: readonly string[] = []) =>
      readSnapshot({ seq: 1, head: JSON.stringify({ ...head, ...changes }), texts }, "x")
    assert.notEqual(read({}), undefined)
    assert.equal(read({ version: snapshotVersion + 1 }), undefined)
    assert.equal(read({ countedBy: "y" }), undefined)
    assert.equal(read({}, ["{}"]), undefined)
  })
})

/** Notes what is queued and answers at once. */
function noting(): { readonly queue: LedgerStore; readonly steps: string[] } {
  const steps: string[] = []
  const run = (_name: string, step: SnapshotStep): Promise<undefined> => {
    steps.push(step.kind)
    return Promise.resolve(undefined)
  }
  const queue = { run, assertOpen: () => undefined, close: () => Promise.resolve() }
  return { queue: queue as unknown as LedgerStore, steps } // it is asked for snapshots alone
}

function written(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

describe("when a snapshot is taken", () => {
  const head = { version: snapshotVersion, countedBy: "x", highWaterMs: null, unheard: [] } as const
  const meters = openMeters()
  meters.count([aClaim()], startMs)
  const image = meters.image()
  const whole = ["begin", "add", "end"]

  it(`is after ${maxChanges} changes, and not one earlier`, async () => {
    const { queue, steps } = noting()
    const snapshots = openMeterSnapshots(queue, fakeClock(), () => ({ head, image }))
    snapshots.note(maxChanges - 1)
    snapshots.takeIfDue()
    assert.deepEqual(steps, [])
    snapshots.note(1)
    snapshots.takeIfDue()
    snapshots.takeIfDue()
    await written()
    assert.deepEqual(steps, whole)
    snapshots.note(1)
    snapshots.takeIfDue()
    await written()
    assert.deepEqual(steps, whole)
  })

  it("is a minute after the last one when anything changed, and not a millisecond earlier", async () => {
    const { queue, steps } = noting()
    const passing = fakeClock()
    const snapshots = openMeterSnapshots(queue, passing, () => ({ head, image }))
    passing.pass(maxAgeMs)
    snapshots.takeIfDue()
    assert.deepEqual(steps, [], "nothing changed")
    snapshots.note(1)
    snapshots.takeIfDue()
    await written()
    assert.deepEqual(steps, whole)
    snapshots.note(1)
    passing.pass(maxAgeMs - 1)
    snapshots.takeIfDue()
    assert.deepEqual(steps, whole)
    passing.pass(1)
    snapshots.takeIfDue()
    await written()
    assert.deepEqual(steps, [...whole, ...whole])
  })

  it("gives up one that is being written for one of other meters", async () => {
    const { queue, steps } = noting()
    const snapshots = openMeterSnapshots(queue, fakeClock(), () => ({ head, image }))
    snapshots.take()
    snapshots.take()
    await written()
    assert.deepEqual(steps, ["begin", ...whole])
  })

  it("is at the end, unless the last state is kept already", async () => {
    const { queue } = noting()
    const snapshots = openMeterSnapshots(queue, fakeClock(), () => ({ head, image }))
    assert.deepEqual(snapshots.lastSteps(), [])
    snapshots.note(1)
    assert.equal(snapshots.lastSteps().length, 3)
    snapshots.take()
    assert.equal(snapshots.lastSteps().length, 3, "one that isn't whole is none")
    snapshots.take()
    await written()
    assert.deepEqual(snapshots.lastSteps(), [])
  })

  it("is written in texts of a bounded size, whatever the meters hold", () => {
    const full = openMeters()
    const claims = Array.from({ length: 20 }, (_, index) => aClaim({ meter: `meter ${index}` }))
    for (let part = 0; part < 1_000; part++) full.count(claims, startMs + part * 3_600)
    const texts = [...writeImage(full.image())]
    assert.equal(full.size().parts, 20_000)
    assert.ok(texts.length >= 10)
    assert.ok(texts.every((text) => text.length < 200_000))
  })
})
