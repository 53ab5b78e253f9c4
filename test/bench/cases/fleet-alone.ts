import type { Case } from "../case.ts"
import { hostsLoader } from "../postgres/hosts-load.ts"
import { openHosts } from "../postgres/open-hosts.ts"

/** What a ledger on PostgreSQL costs a host that is alone. */
export const fleetAlone: Case = {
  name: "fleet-alone",
  what: "sign over HTTP on one host with the ledger on PostgreSQL and a standby that commits wait for; beside it a ledger here",
  isOnDemand: true,
  open: (settings) =>
    openHosts(1, settings, ({ servers, here, hosts }) => {
      const at = hostsLoader(servers, settings)
      return [1, 16].flatMap((connections) => [
        at(`here, ${connections} conn`, [here], connections),
        at(`one host, ${connections} conn`, hosts, connections),
      ])
    }),
}
