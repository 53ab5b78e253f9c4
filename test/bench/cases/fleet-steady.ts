import type { Case, Settings, Subject } from "../case.ts"
import type { Daemon } from "../daemon/serve-site.ts"
import { signingPosts } from "../daemon/signing-posts.ts"
import { figuresOf } from "../load/figures-of.ts"
import { runNodeLoad } from "../load/node-load.ts"
import { openHosts } from "../postgres/open-hosts.ts"

const connections = 8

/** What bots see that send now and then, each to its own host. */
export const fleetSteady: Case = {
  name: "fleet-steady",
  what: "sign over HTTP at random moments, 13 a second on each of three hosts with one ledger; beside it 40 a second on one with a ledger here",
  isOnDemand: true,
  open: (settings) =>
    openHosts(3, settings, ({ here, hosts }) => [
      atRandom("here, 40/s", { daemons: [here], perSecond: 40 }, settings),
      atRandom("three hosts, 13/s each", { daemons: hosts, perSecond: 13 }, settings),
    ]),
}

/** Each host is sent its own share. */
function atRandom(
  name: string,
  { daemons, perSecond }: { readonly daemons: readonly Daemon[]; readonly perSecond: number },
  { steadySeconds }: Settings,
): Subject {
  const asks = daemons.map((daemon) => ({
    ...{ url: daemon.url, posts: signingPosts(daemon), connections, perSecond, isRandom: true },
    seconds: steadySeconds / 3,
  }))
  return { name, measure: async () => figuresOf(await runNodeLoad(...asks)) }
}
