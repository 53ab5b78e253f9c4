import type { Opened, Settings, Subject } from "../case.ts"
import { makeSite, type Site } from "../daemon/make-site.ts"
import type { Daemon } from "../daemon/serve-site.ts"
import { warmUp } from "../daemon/signing-load.ts"
import { growToThree, moveSite } from "./move-site.ts"
import { postgresIsMissing, startServers, type Servers } from "./servers.ts"

/** Daemons side by side: one with the ledger on this disk, and the hosts of a ledger on PostgreSQL. */
export type Hosts = {
  readonly servers: Servers
  readonly here: Daemon
  readonly hosts: readonly Daemon[]
}

/** Starts and warms up all. One host alone has none beside it that takes its turn once a second. */
export async function openHosts(
  count: 1 | 3,
  settings: Settings,
  subjectsOf: (opened: Hosts) => readonly Subject[],
): Promise<Opened> {
  if (postgresIsMissing !== undefined) return notHere(postgresIsMissing)
  await using opening = new AsyncDisposableStack()
  const servers = await startServers()
  opening.defer(() => servers.close())
  const site = async (): Promise<Site> => {
    const made = await makeSite(settings)
    opening.defer(() => made.remove())
    return made
  }
  const served = async (host: Pick<Site, "serve">): Promise<Daemon> => {
    const daemon = await host.serve()
    opening.defer(() => daemon.stop())
    await warmUp(daemon, settings)
    return daemon
  }
  const way = { program: settings.program, servers }
  const here = await served(await site())
  const places =
    count === 1
      ? [await moveSite(await site(), "one_host", way)]
      : await growToThree(await site(), "three_hosts", way)
  const hosts: Daemon[] = []
  for (const place of places) hosts.push(await served(place))
  const opened = opening.move()
  return {
    subjects: subjectsOf({ servers, here, hosts }),
    close: () => opened.disposeAsync(),
  }
}

/** A case of which this machine can't do anything. */
export function notHere(why: string): Opened {
  return { subjects: [], skipped: [why], close: () => Promise.resolve() }
}
