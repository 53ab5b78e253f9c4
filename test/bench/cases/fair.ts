import { makeInstallation } from "../../support/countersign.ts"
import { floods, type FloodName } from "../../support/flood/floods.ts"
import { medianOf, populate, spell, spellUnder } from "../../support/flood/run-flood.ts"
import type { Case, Figures, Subject } from "../case.ts"
import { serveSite } from "../daemon/serve-site.ts"

const perSecond = 20

/** What a neighbour's floods cost a bot that places and cancels: quiet and flooded spells take turns. */
export const fair: Case = {
  name: "fair",
  what: "cancels of a bot, 20 a second, without and under each flood of a neighbour",
  rounds: 1,
  async open({ program, steadySeconds }) {
    const installation = await makeInstallation()
    const { dir } = installation
    const tokens = await populate(dir)
    const daemon = await serveSite({ program, dir, bots: [] })
    const port = Number(new URL(daemon.url).port)
    const ask = { port, token: tokens.victim, perSecond, seconds: steadySeconds / 3 }
    await spell(ask)
    const under = (name: FloodName): Subject => ({
      name,
      async measure(): Promise<Figures> {
        const quiet = await spell({ ...ask, seconds: ask.seconds / 2 })
        const { spell: seen } = await spellUnder(name, ask, tokens)
        if (seen.failed.length > 0) throw new Error(`cancels failed: ${seen.failed.join()}`)
        return {
          "quiet p50 ms": medianOf(quiet.cancelMs),
          "p50 ms": medianOf(seen.cancelMs),
          "most ms": Math.max(...seen.cancelMs),
          "loop ms": seen.stallMs,
        }
      },
    })
    return {
      subjects: (Object.keys(floods) as FloodName[]).map(under),
      async close() {
        await daemon.stop()
        await installation.remove()
      },
    }
  },
}
