import type { Case, Subject } from "../case.ts"
import { makeSite } from "../daemon/make-site.ts"
import { openConsole } from "../daemon/open-console.ts"
import { signingLoad, warmUp } from "../daemon/signing-load.ts"

/** What a console costs those who sign: every decision of the load is one for it to count, and 200 a second to show. */
export const withConsole: Case = {
  name: "console",
  what: "sign over HTTP, 16 connections, with no page of the console, while one looks once a second, and while it reads back too",
  async open(settings) {
    const site = await makeSite({ program: settings.program })
    const daemon = await site.serve()
    await warmUp(daemon, settings)
    const console = await openConsole(site, settings)
    const load = (name: string): Subject => signingLoad(daemon, { name, connections: 16 }, settings)
    const withPage = (name: string, page: { readonly readsBack: boolean }): Subject => {
      const open = load(name)
      return {
        name,
        async measure() {
          const leave = console.open(page)
          return open.measure().finally(leave)
        },
      }
    }
    return {
      subjects: [
        load("no page"),
        withPage("page open", { readsBack: false }),
        withPage("page just opened", { readsBack: true }),
      ],
      close: async () => {
        await console.close()
        await daemon.stop()
        await site.remove()
      },
    }
  },
}
