import type { Case } from "../case.ts"
import { makeSite } from "../daemon/make-site.ts"
import { moveSite } from "../postgres/move-site.ts"
import { notHere } from "../postgres/open-hosts.ts"
import { postgresIsMissing, startServers } from "../postgres/servers.ts"
import { grow } from "./records.ts"
import { starting } from "./start.ts"

/** How much longer a start with a large ledger takes where PostgreSQL has its order. */
export const fleetStart: Case = {
  name: "fleet-start",
  what: "from the command until /readyz says yes, with a large ledger here and on PostgreSQL; --records says how many",
  isOnDemand: true,
  async open({ program, records }) {
    if (postgresIsMissing !== undefined) return notHere(postgresIsMissing)
    await using opening = new AsyncDisposableStack()
    const servers = await startServers()
    opening.defer(() => servers.close())
    const [here, moved] = [await makeSite({ program }), await makeSite({ program })]
    for (const site of [here, moved]) {
      opening.defer(() => site.remove())
      grow(site, records)
    }
    const host = await moveSite(moved, "one_host", { program, servers })
    const opened = opening.move()
    return {
      subjects: [starting("here", here), starting("one host", host)],
      close: () => opened.disposeAsync(),
    }
  },
}
