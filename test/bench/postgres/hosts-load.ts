import type { Settings, Subject } from "../case.ts"
import { costedLoad } from "../daemon/costed-load.ts"
import type { Daemon } from "../daemon/serve-site.ts"
import { signingPosts } from "../daemon/signing-posts.ts"
import { runLoad, type Load } from "../load/load.ts"
import type { Servers } from "./servers.ts"

/** Makes subjects that sign with all of some daemons at once, over so many connections with each. */
export function hostsLoader(servers: Servers, { load, seconds }: Settings) {
  return (name: string, daemons: readonly Daemon[], connections: number): Subject => {
    const loads = daemons.map((daemon) => ({
      ...{ url: daemon.url, connections, seconds },
      posts: signingPosts(daemon),
    }))
    const together = async (): Promise<Load> =>
      sumOf(await Promise.all(loads.map((each) => runLoad(load, each))))
    return { name, measure: () => costedLoad(together, pidsOf(daemons, servers)) }
  }
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
