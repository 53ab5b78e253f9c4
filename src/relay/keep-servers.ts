import { hangBell } from "./bell.ts"
import type { RelaySettings } from "./config/load-relay.ts"
import type { Server } from "./config/relay-config.ts"
import { keepServer } from "./keep-server.ts"
import type { RelayLimits } from "./process/relay-limits.ts"
import type { ServerReport } from "./report-servers.ts"

export type KeptServers = {
  /** Ends what is no longer asked for, and begins what is new. Connections that stay keep the certificate they began with. */
  follow(settings: RelaySettings): Promise<void>
  stop(): Promise<void>
}

type Kept = { readonly server: Server; readonly end: () => Promise<void> }

/** Keeps servers connected with the vault, none at first. */
export function keepServers({
  ledgerSocket,
  limits,
  report,
}: {
  readonly ledgerSocket: string
  readonly limits: RelayLimits
  readonly report: ServerReport
}): KeptServers {
  let kept: readonly Kept[] = []
  let latest: RelaySettings
  const lost = hangBell()
  function begin(server: Server): Kept {
    const stop = new AbortController()
    const ask = {
      ...{ server, ledgerSocket, limits, lost },
      secureContext: () => latest.secureContext,
      onConnected: () => report.connected(server.name),
      onLost: (why: string) => report.lost(server.name, why),
    }
    const over = keepServer(ask, stop.signal)
    return { server, end: () => (stop.abort(), over) }
  }
  async function endAllBut(servers: readonly Server[]): Promise<void> {
    const gone = kept.filter((each) => !servers.some((server) => isSame(server, each.server)))
    await Promise.all(gone.map(({ end }) => end()))
    report.forget(gone.map(({ server }) => server.name))
  }
  return {
    async follow(settings) {
      latest = settings
      await endAllBut(settings.servers)
      kept = settings.servers.map(
        (server) => kept.find((each) => isSame(each.server, server)) ?? begin(server),
      )
    },
    stop: () => endAllBut([]),
  }
}

function isSame(one: Server, other: Server): boolean {
  return one.name === other.name && one.host === other.host && one.port === other.port
}
