import { startFloor } from "../beside/start-floor.ts"
import type { Case, Figures, Subject } from "../case.ts"
import { makeSite } from "../daemon/make-site.ts"
import { warmUp } from "../daemon/signing-load.ts"
import { signingPosts } from "../daemon/signing-posts.ts"
import { figuresOf } from "../load/figures-of.ts"
import { runNodeLoad } from "../load/node-load.ts"

const connections = 64

/** How far the slowest are from the usual ones when the daemon isn't at its limit. */
export const steady: Case = {
  name: "steady",
  what: "sign over HTTP at half of the peak rate, whether or not earlier requests were answered",
  rounds: 1,
  async open(settings) {
    const site = await makeSite({ program: settings.program })
    const daemon = await site.serve()
    const floor = await startFloor("http")
    await warmUp(daemon, settings)
    const perSecond = (await warmUp(daemon, settings)).perSecond / 2
    const posts = signingPosts(daemon)
    const at = (name: string, url: string, seconds: number): Subject => ({
      name,
      async measure(): Promise<Figures> {
        const found = await runNodeLoad({ url, posts, connections, seconds, perSecond })
        return { ...figuresOf(found), "p99/p50": found.p99Ms / found.p50Ms, "asked /s": perSecond }
      },
    })
    return {
      subjects: [
        at("sign, half of peak", daemon.url, settings.steadySeconds),
        at("node:http, as often", floor.url, settings.steadySeconds / 4),
      ],
      close: async () => {
        await Promise.all([daemon.stop(), floor.stop()])
        await site.remove()
      },
    }
  },
}
