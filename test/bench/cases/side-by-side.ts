import type { Opened, Settings } from "../case.ts"
import type { Site } from "../daemon/make-site.ts"
import type { Daemon } from "../daemon/serve-site.ts"
import { signingLoad, warmUp } from "../daemon/signing-load.ts"

export type NamedSite = { readonly name: string; readonly site: Site }

type Served = NamedSite & { readonly daemon: Daemon }

/** Serves all sites, warmed up, each to be measured at 16 connections in turn. */
export async function sideBySide(sites: readonly NamedSite[], settings: Settings): Promise<Opened> {
  const served: Served[] = []
  for (const { name, site } of sites) {
    const daemon = await site.serve()
    await warmUp(daemon, settings)
    served.push({ name, site, daemon })
  }
  return {
    subjects: served.map(({ name, daemon }) =>
      signingLoad(daemon, { name, connections: 16 }, settings),
    ),
    close: async () => {
      for (const { site, daemon } of served) {
        await daemon.stop()
        await site.remove()
      }
    },
  }
}
