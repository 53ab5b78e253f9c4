import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"

import { bot, limitOrder } from "./bot.ts"
import { makeInstallation, serve, type TemporaryInstallation } from "./countersign.ts"
import {
  makeProgramPlace,
  moveInstallation,
  placesOf,
  programPlaces,
  type Tried,
} from "./places.ts"
import { killAllNaming } from "./process-tree.ts"
import { addClient, makeTradingKeys, tradingPolicy, writePolicy } from "./trading-keys.ts"

/** What is started: its directory, its launcher, and the Node that lies there too. */
export type Program = { readonly root: string; readonly program: string; readonly node: string }

/** Tests that a program starts and signs in the places of itself and of the installation. `make` puts it into a new directory. */
export function signsInEveryPlace(what: Tried, make: (root: string) => Promise<Program>): void {
  describe(`countersign serve of ${what}`, { timeout: 600_000 }, () => {
    const places = placesOf(what)
    const programs = new Map<string, Program>()
    const startsMs: number[] = []
    let installation: TemporaryInstallation
    let dir: string
    let token: string
    before(async () => {
      installation = await makeInstallation()
      dir = installation.dir
      await writePolicy(dir, tradingPolicy)
      await makeTradingKeys(dir)
      token = await addClient(dir, "bot")
      for (const name of Object.keys(programPlaces) as (keyof typeof programPlaces)[]) {
        programs.set(name, await make(await makeProgramPlace(installation.home, name)))
      }
    })
    after(async () => {
      await killAllNaming(installation.home)
      await installation.remove()
    })

    for (const place of places) {
      it(`signs: program ${place.program}, installation ${place.installation}`, async () => {
        const { root, ...start } = programs.get(place.program) ?? assert.fail(place.program)
        dir = await moveInstallation(dir, { program: root, installation: place.installation })
        const beganMs = performance.now()
        const daemon = await serve(dir, [], start)
        startsMs.push(performance.now() - beganMs)
        const answer = await bot(daemon.url, token).post("/sign/v1/trade/orders", limitOrder())
        await daemon.stop()
        assert.equal(answer.status, 200, answer.text)
      })
    }

    it("has done so in every place, and its starts took", (t) => {
      const sorted = startsMs.toSorted((a, b) => a - b).map(Math.round)
      const median = sorted[sorted.length >> 1]
      t.diagnostic(
        `${sorted.length} of ${places.length} places of ${what} and an installation started and signed; a start took ${median} ms in the middle, ${sorted.at(-1)} ms at most`,
      )
      assert.equal(sorted.length, places.length)
    })
  })
}
