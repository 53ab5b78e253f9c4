import type { Case } from "../case.ts"
import { hostsLoader } from "../postgres/hosts-load.ts"
import { openHosts } from "../postgres/open-hosts.ts"

/** What three hosts get together of a ledger on PostgreSQL, and one of them while the others have nothing to sign. */
export const fleet: Case = {
  name: "fleet",
  what: "sign over HTTP on three hosts with one ledger on PostgreSQL and a standby that commits wait for; beside them a ledger here",
  isOnDemand: true,
  open: (settings) =>
    openHosts(3, settings, ({ servers, here, hosts }) => {
      const at = hostsLoader(servers, settings)
      return [
        ...[1, 16].flatMap((connections) => [
          at(`here, ${connections} conn`, [here], connections),
          at(`one of three, ${connections} conn`, hosts.slice(0, 1), connections),
        ]),
        at("here, 48 conn", [here], 48),
        at("three hosts, 16 conn each", hosts, 16),
      ]
    }),
}
