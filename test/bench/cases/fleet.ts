import type { Case, Opened, Settings, Subject } from "../case.ts"
import { costedLoad } from "../daemon/costed-load.ts"
import { makeSite, type Site } from "../daemon/make-site.ts"
import type { Daemon } from "../daemon/serve-site.ts"
import { warmUp } from "../daemon/signing-load.ts"
import { signingPosts } from "../daemon/signing-posts.ts"
import { runLoad, type Load } from "../load/load.ts"
import { growToThree, moveSite } from "../postgres/move-site.ts"
import { postgresIsMissing, startServers, type Servers } from "../postgres/servers.ts"

/** What a ledger on PostgreSQL costs one host, and what three get of it together. */
export const fleet: Case = {
  name: "fleet",
  what: "sign over HTTP with the ledger on PostgreSQL and a standby that commits wait for: one host, and three; beside it a ledger here",
  isOnDemand: true,
  open: (settings) =>
    openFleet(settings, ({ servers, here, alone, three }) => {
      const [first] = three
      const at = (name: string, daemons: readonly Daemon[], connections: number) =>
        loadOf({ name, daemons, connections, servers }, settings)
      return [
        ...[1, 16].flatMap((connections) => [
          at(`here, ${connections} conn`, [here], connections),
          at(`one host, ${connections} conn`, [alone], connections),
          at(`one of three, ${connections} conn`, first === undefined ? [] : [first], connections),
        ]),
        at("here, 48 conn", [here], 48),
        at("three hosts, 16 conn each", three, 16),
      ]
    }),
}

/** Daemons side by side: with the ledger on this disk, alone on PostgreSQL, and three with one ledger there. */
export type FleetDaemons = {
  readonly servers: Servers
  readonly here: Daemon
  readonly alone: Daemon
  readonly three: readonly Daemon[]
}

/** Starts and warms up all. */
export async function openFleet(
  settings: Settings,
  subjectsOf: (daemons: FleetDaemons) => readonly Subject[],
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
  const alone = await served(await moveSite(await site(), "one_host", way))
  const hosts = await growToThree(await site(), "three_hosts", way)
  const three: Daemon[] = []
  for (const host of hosts) three.push(await served(host))
  const opened = opening.move()
  return {
    subjects: subjectsOf({ servers, here, alone, three }),
    close: () => opened.disposeAsync(),
  }
}

/** A case of which this machine can't do anything. */
export function notHere(why: string): Opened {
  return { subjects: [], skipped: [why], close: () => Promise.resolve() }
}

type LoadOf = {
  readonly name: string
  readonly daemons: readonly Daemon[]
  /** With each of them. */
  readonly connections: number
  readonly servers: Servers
}

function loadOf({ name, daemons, connections, servers }: LoadOf, settings: Settings): Subject {
  const { load, seconds } = settings
  const loads = daemons.map((daemon) => ({
    ...{ url: daemon.url, connections, seconds },
    posts: signingPosts(daemon),
  }))
  const together = async (): Promise<Load> =>
    sumOf(await Promise.all(loads.map((each) => runLoad(load, each))))
  return { name, measure: () => costedLoad(together, pidsOf(daemons, servers)) }
}

function pidsOf(daemons: readonly Daemon[], servers: Servers): Parameters<typeof costedLoad>[1] {
  const relay = daemons.flatMap(({ pids }) => pids.relay ?? [])
  return {
    gate: daemons.flatMap(({ pids }) => pids.gate),
    vault: daemons.flatMap(({ pids }) => pids.vault),
    ...(relay.length > 0 && { relay, PostgreSQL: servers.pids() }),
  }
}

/** Their rates together, and the times of the slowest. */
function sumOf(loads: readonly Load[]): Load {
  const sum = (of: (load: Load) => number): number => loads.reduce((all, each) => all + of(each), 0)
  const most = (of: (load: Load) => number): number => Math.max(...loads.map(of))
  return {
    requests: sum(({ requests }) => requests),
    perSecond: sum(({ perSecond }) => perSecond),
    p50Ms: most(({ p50Ms }) => p50Ms),
    p99Ms: most(({ p99Ms }) => p99Ms),
    p999Ms: most(({ p999Ms }) => p999Ms),
  }
}
