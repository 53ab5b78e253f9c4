import { startFloor } from "../beside/start-floor.ts"
import type { Case } from "../case.ts"
import { makeSite } from "../daemon/make-site.ts"
import { signingLoad, warmUp } from "../daemon/signing-load.ts"

/** Signing and sending on. The venue is a server that accepts everything, since the sandbox has the venue's rate limit. */
export const forward: Case = {
  name: "forward",
  what: "sign and send on to a venue on this machine that accepts everything; beside it the same without sending",
  async open(settings) {
    const venue = await startFloor("venue")
    const site = await makeSite({ program: settings.program, venueUrl: venue.url })
    const daemon = await site.serve()
    await warmUp(daemon, settings, "")
    return {
      subjects: [
        signingLoad(daemon, { name: "sign, 1 conn", connections: 1 }, settings),
        ...[1, 16].map((connections) => {
          const name = `forward, ${connections} conn`
          return signingLoad(daemon, { name, connections, prefix: "" }, settings)
        }),
      ],
      close: async () => {
        await Promise.all([daemon.stop(), venue.stop()])
        await site.remove()
      },
    }
  },
}
