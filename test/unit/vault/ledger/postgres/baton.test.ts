import assert from "node:assert/strict"
import { beforeEach, describe, it, mock, afterEach } from "node:test"
import { setImmediate as turnEnded } from "node:timers/promises"

import fc from "fast-check"

import { Fault } from "../../../../../src/std/fault.ts"
import { Baton, type BatonWay } from "../../../../../src/vault/ledger/postgres/baton.ts"
import { numRuns } from "../../../../support/runs.ts"

type Call = "take" | "give" | "look" | "settled"

type Pending = {
  readonly call: Call
  readonly resolve: (isWanted: boolean) => void
  readonly reject: (error: Error) => void
}

/** A way whose calls are answered when a test says so; it asserts what a baton may ask when. */
class FakeWay implements BatonWay {
  readonly pending: Pending[] = []
  readonly calls: Call[] = []
  isHeld = false
  isWantedByOthers = false
  areOthersActive = false
  inside = 0

  take(): Promise<void> {
    assert.ok(!this.isHeld, "it is taken where it is held")
    this.#assertNone("take", "give", "settled")
    return this.#ask("take").then(() => void (this.isHeld = true))
  }

  give(): Promise<void> {
    assert.ok(this.isHeld, "it is given on twice")
    assert.equal(this.inside, 0, "it is given on while it is used")
    this.#assertNone("take", "give", "settled")
    assert.equal(
      this.calls.findLast((call) => call !== "look"),
      "settled",
    )
    this.isHeld = false
    return this.#ask("give").then(() => undefined)
  }

  settled(): Promise<void> {
    assert.ok(this.isHeld)
    this.#assertNone("take", "give", "settled")
    return this.#ask("settled").then(() => undefined)
  }

  isWanted(): Promise<boolean> {
    return this.#ask("look")
  }

  othersAreActive(): boolean {
    return this.areOthersActive
  }

  /** Answers what was asked first. */
  async answer(error?: Error): Promise<void> {
    const next = this.pending.shift()
    if (error === undefined) next?.resolve(this.isWantedByOthers)
    else next?.reject(error)
    if (next?.call === "give" || next?.call === "take") this.isWantedByOthers = false
    await turnEnded()
  }

  async answerAll(): Promise<void> {
    await turnEnded()
    while (this.pending.length > 0) await this.answer()
  }

  #assertNone(...calls: readonly Call[]): void {
    for (const { call } of this.pending) assert.ok(!calls.includes(call), `${call} is under way`)
  }

  #ask(call: Call): Promise<boolean> {
    this.calls.push(call)
    return new Promise((resolve, reject) => this.pending.push({ call, resolve, reject }))
  }
}

const gone = new Fault("ledger_unavailable", "The connection broke.")

type Opened = { readonly way: FakeWay; readonly baton: Baton; readonly failures: unknown[] }

/** As a store does, it ends the baton a while after it was told of a failure. */
function opened(): Opened {
  const way = new FakeWay()
  const failures: unknown[] = []
  const baton = new Baton(way, (error) => {
    failures.push(error)
    void turnEnded().then(() => baton.end(gone))
  })
  return { way, baton, failures }
}

/** Here, and used by nobody. */
async function openedHere(): Promise<Opened> {
  const all = opened()
  const entered = all.baton.enter()
  await all.way.answerAll()
  await entered
  all.baton.leave()
  all.way.calls.length = 0
  return all
}

/** Uses it once, while others want it. */
async function letGo(baton: Baton): Promise<void> {
  await baton.enter()
  baton.want()
  baton.leave()
}

async function pass(ms: number): Promise<void> {
  mock.timers.tick(ms)
  await turnEnded()
}

describe("a baton", () => {
  beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }))
  afterEach(() => mock.timers.reset())

  it("is taken once for all who wait for it", async () => {
    const { way, baton } = opened()
    const all = [baton.enter(), baton.enter(), baton.enter()]
    assert.deepEqual(way.calls, ["take"])
    await way.answerAll()
    await Promise.all(all)
    assert.deepEqual(way.calls, ["take"])
  })

  it("is used again without being taken again", async () => {
    const { way, baton } = await openedHere()
    await baton.enter()
    baton.leave()
    assert.deepEqual(way.calls, [])
  })

  it("is given on once the last has left it, and all is out", async () => {
    const { way, baton } = await openedHere()
    await Promise.all([baton.enter(), baton.enter()])
    way.areOthersActive = true
    baton.leave()
    assert.deepEqual(way.calls, [])
    baton.leave()
    assert.deepEqual(way.calls, ["settled"])
    await way.answer()
    assert.deepEqual(way.calls, ["settled", "give"])
  })

  it("is taken anew for who comes while it is given on", async () => {
    const { way, baton } = await openedHere()
    way.areOthersActive = true
    await baton.enter()
    baton.leave()
    let isIn = false
    const entered = baton.enter().then(() => (isIn = true))
    await way.answer()
    await way.answer()
    assert.deepEqual(way.calls, ["settled", "give", "take"])
    assert.equal(isIn, false)
    await way.answer()
    await entered
  })

  it("goes to others before whoever comes once they want it", async () => {
    const { way, baton } = await openedHere()
    await baton.enter()
    baton.want()
    const entered = baton.enter()
    assert.deepEqual(way.calls, [])
    baton.leave()
    await way.answerAll()
    await entered
    assert.deepEqual(way.calls, ["settled", "give", "take"])
  })

  it("is kept for half a second where nobody wants it", async () => {
    const { way } = await openedHere()
    for (let ms = 0; ms < 490; ms += 10) {
      await pass(10)
      await way.answerAll()
    }
    assert.ok(!way.calls.includes("settled"))
    await pass(10)
    await way.answerAll()
    assert.deepEqual(way.calls.slice(-2), ["settled", "give"])
  })

  it("is given on soon where nothing is to do and others want it", async () => {
    const { way } = await openedHere()
    way.isWantedByOthers = true
    await pass(10)
    await way.answerAll()
    assert.deepEqual(way.calls, ["look", "settled", "give"])
  })

  it("is given on to others while it is used again and again and nothing is committed", async () => {
    const { way, baton } = await openedHere()
    way.isWantedByOthers = true
    for (let turns = 0; turns < 100 && !way.calls.includes("give"); turns += 1) {
      const entered = baton.enter()
      await pass(5)
      await way.answerAll()
      await entered
      baton.leave()
    }
    assert.ok(way.calls.includes("give"))
  })

  it("is given on to others while there always is somebody who uses it", async () => {
    const { way, baton } = await openedHere()
    way.isWantedByOthers = true
    await baton.enter()
    for (let turns = 0; turns < 100 && !way.calls.includes("give"); turns += 1) {
      const entered = baton.enter()
      await pass(5)
      baton.leave()
      await way.answerAll()
      await entered
    }
    assert.ok(way.calls.includes("give"))
  })

  it("is visited where it is away, and given on", async () => {
    const { way, baton } = opened()
    way.areOthersActive = true
    baton.visit()
    await way.answerAll()
    assert.deepEqual(way.calls, ["take", "settled", "give"])
  })

  it("isn't visited where it is here or on its way", async () => {
    const { way, baton } = opened()
    const entered = baton.enter()
    baton.visit()
    await way.answerAll()
    await entered
    baton.visit()
    assert.deepEqual(way.calls, ["take"])
  })

  for (const call of ["take", "settled", "give"] as const) {
    it(`tells of a failure to ${call}, and lets nobody in any more`, async () => {
      const { way, baton, failures } = call === "take" ? opened() : await openedHere()
      if (call !== "take") await letGo(baton)
      if (call === "give") await way.answer()
      const told = assert.rejects(baton.enter(), gone)
      assert.equal(way.pending[0]?.call, call)
      await way.answer(new Error("no way"))
      assert.equal(failures.length, 1)
      await told
      await assert.rejects(baton.enter(), gone)
    })
  }

  it("tells of a failure to look, and lets nobody in any more", async () => {
    const { way, baton, failures } = await openedHere()
    await pass(10)
    await way.answer(new Error("no way"))
    assert.equal(failures.length, 1)
    await turnEnded()
    await assert.rejects(baton.enter(), gone)
  })

  it("turns away who waits when it ends, and keeps no timer", async () => {
    const { way, baton } = opened()
    const entered = assert.rejects(baton.enter(), gone)
    baton.end(gone)
    await entered
    await way.answerAll() // it comes nevertheless
    await pass(1_000)
    baton.visit()
    await assert.rejects(baton.enter(), gone)
    assert.deepEqual(way.calls, ["take"])
  })

  it("lets all in in the end, never two at once with others, whatever comes in whichever order", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: "max" }), async (steps) => {
        await new Run().run(steps)
      }),
      numRuns(300),
    )
  })
})

type Step = (run: Run) => unknown

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Step>((run) => run.enter()) },
  { weight: 6, arbitrary: fc.constant<Step>((run) => run.leave()) },
  { weight: 2, arbitrary: fc.constant<Step>((run) => run.stay()) },
  { weight: 8, arbitrary: fc.constant<Step>((run) => run.all.way.answer()) },
  { weight: 1, arbitrary: fc.constant<Step>((run) => run.all.baton.visit()) },
  { weight: 2, arbitrary: fc.constant<Step>((run) => run.want()) },
  {
    weight: 3,
    arbitrary: fc.nat({ max: 600 }).map(
      (ms): Step =>
        () =>
          pass(ms),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.boolean().map(
      (areActive): Step =>
        ({ all }) =>
          (all.way.areOthersActive = areActive),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constant<Step>(({ all }) => all.way.answer(new Error("no way"))),
  },
)

/** Users of a baton, one after the other and beside each other. */
class Run {
  readonly all = opened()
  #waiting = 0
  #turnedAway = 0

  async run(steps: readonly Step[]): Promise<void> {
    const { way, failures } = this.all
    for (const each of steps) {
      await each(this)
      await turnEnded()
      const isUsedWell = way.isHeld || way.inside === 0 || failures.length > 0
      assert.ok(isUsedWell, "it is used where it isn't held")
    }
    await this.#end()
    assert.equal(this.#waiting, 0, "somebody waits for ever")
    if (failures.length > 0) return
    assert.equal(this.#turnedAway, 0)
    assert.equal(way.isHeld, false, "it is kept for ever")
  }

  /** Everything is answered, everybody leaves, and time passes. */
  async #end(): Promise<void> {
    const { way } = this.all
    for (let looks = 0; looks < 70; looks += 1) {
      await way.answerAll()
      while (way.inside > 0) this.leave()
      await way.answerAll()
      await pass(10)
    }
    await way.answerAll()
  }

  enter(): void {
    this.#waiting += 1
    this.all.baton.enter().then(
      () => {
        this.#waiting -= 1
        this.all.way.inside += 1
      },
      () => {
        this.#waiting -= 1
        this.#turnedAway += 1
      },
    )
  }

  stay(): void {
    if (this.all.way.inside === 0) return
    this.all.way.inside += 1
    this.all.baton.stay()
  }

  leave(): void {
    if (this.all.way.inside === 0) return
    this.all.way.inside -= 1
    this.all.baton.leave()
  }

  want(): void {
    this.all.way.isWantedByOthers = true
    if (this.all.way.inside > 0) this.all.baton.want()
  }
}
