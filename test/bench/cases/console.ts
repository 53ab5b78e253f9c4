import type { Case, Subject } from "../case.ts"
import { makeSite } from "../daemon/make-site.ts"
import { openConsole } from "../daemon/open-console.ts"
import { signingLoad, warmUp } from "../daemon/signing-load.ts"

/** What an open console costs those who sign: every decision of the load is one for it to count, and 200 a second to show. */
export const withConsole: Case = {
  name: "console",
  what: "sign over HTTP, 16 connections, with no console and while one looks once a second",
  async open(settings) {
    const site = await makeSite({ program: settings.program })
    const daemon = await site.serve()
    await warmUp(daemon, settings)
    const load = (name: string): Subject => signingLoad(daemon, { name, connections: 16 }, settings)
    const open = load("console open")
    return {
      subjects: [
        load("no console"),
        {
          ...open,
          async measure() {
            const close = await openConsole(site, settings)
            return open.measure().finally(close)
          },
        },
      ],
      close: async () => {
        await daemon.stop()
        await site.remove()
      },
    }
  },
}
