// While a neighbour floods, another bot places and cancels.

import assert from "node:assert/strict"
import { after, before, describe, it, type TestContext } from "node:test"

import { makeInstallation, serve, type Served } from "../support/countersign.ts"
import type { TemporaryInstallation } from "../support/countersign.ts"
import { floods, type FloodName } from "../support/flood/floods.ts"
import {
  medianOf,
  populate,
  spell,
  spellUnder,
  type FloodTokens,
} from "../support/flood/run-flood.ts"
import { killAllNaming } from "../support/process-tree.ts"

// Three times what is wanted: a disk that others write to holds commits up too.
const maxCancelMs = 3_000
const maxStallMs = 600

/** What else runs on a machine adds to a wait and takes nothing from it: the best of so many spells. */
const tries = 3

describe("cancels of a bot whose neighbour sends", { timeout: 600_000 }, () => {
  let installation: TemporaryInstallation
  let daemon: Served
  let tokens: FloodTokens
  before(async () => {
    installation = await makeInstallation()
    tokens = await populate(installation.dir)
    daemon = await serve(installation.dir)
  })
  after(async () => {
    await daemon.stop("SIGKILL")
    await killAllNaming(installation.dir)
    await installation.remove()
  })

  for (const name of Object.keys(floods) as FloodName[]) {
    it(`${name} are answered 200 in time, and the gate never stands`, async (t) => {
      let [slowestMs, stallMs] = [Infinity, Infinity]
      for (let count = 0; count < tries && !isFair(slowestMs, stallMs); count += 1) {
        ;[slowestMs, stallMs] = await slowestUnder(name, t)
      }
      assert.ok(isFair(slowestMs, stallMs), `${ms(slowestMs)}, the loop ${ms(stallMs)}`)
    })
  }

  /** How long a cancel took at most, and for how long the gate stood. */
  async function slowestUnder(name: FloodName, t: TestContext): Promise<[number, number]> {
    const port = Number(new URL(daemon.url).port)
    const ask = { port, token: tokens.victim, seconds: 2, perSecond: 20 }
    const quiet = await spell({ ...ask, seconds: 1 })
    const { spell: seen, flooded } = await spellUnder(name, ask, tokens)
    const slowestMs = Math.max(...seen.cancelMs)
    const [usual, under] = [quiet, seen].map(({ cancelMs }) => ms(medianOf(cancelMs)))
    t.diagnostic(
      `a cancel in ${under}, in ${usual} without; at most ${ms(slowestMs)}, the loop ${ms(seen.stallMs)}; ${JSON.stringify(flooded)}`,
    )
    assert.deepEqual(seen.failed, [])
    assert.equal(seen.cancelMs.length, ask.seconds * ask.perSecond)
    assert.ok(flooded.sent > 0)
    return [slowestMs, seen.stallMs]
  }
})

function isFair(slowestMs: number, stallMs: number): boolean {
  return slowestMs < maxCancelMs && stallMs < maxStallMs
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`
}
