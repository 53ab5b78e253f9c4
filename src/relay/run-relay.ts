import { oneAtATime } from "../std/one-at-a-time.ts"
import type { ServiceNotify } from "../std/systemd.ts"
import { retrySignal, keepServer } from "./keep-server.ts"
import { loadRelay, type RelaySettings, type Server } from "./load-relay.ts"
import { failureFields, type Log } from "./log.ts"
import { relayLimits, type RelayLimits } from "./relay-limits.ts"

type RelayAsk = {
  readonly given: {
    /** Path of relay.yaml. */
    readonly configFile: string
    /** Path of the socket on which the vault takes connections to its ledger's servers. */
    readonly ledgerSocket: string
  }
  readonly service: ServiceNotify
  readonly log: Log
  readonly limits?: RelayLimits
}

export type RunningRelay = Awaited<ReturnType<typeof runRelay>>

/** Begins to connect each server with the vault. @throws {Fault} */
export async function runRelay(ask: RelayAsk) {
  const { given, service, log } = ask
  const report = reportServers({ log, service })
  const { limits = relayLimits } = ask
  const servers = keepServers({ limits, report, ledgerSocket: given.ledgerSocket })
  const load = async (): Promise<void> => servers.follow(await loadRelay(given.configFile))
  const inTurn = oneAtATime()
  await load()
  service.ready(report.status())
  tellAlive(service)
  return {
    /**
     * Reads relay.yaml and its files anew. Connections to servers that stay go on; those after them have the new
     * certificate. Never throws.
     */
    reload: () =>
      inTurn(async () => {
        service.reloading("reading relay.yaml")
        try {
          await load()
          log({ level: "info", event: "reloaded" })
        } catch (error) {
          log({ level: "error", event: "reload_failed", ...failureFields(error) })
        }
        service.ready(report.status())
      }),
    /** Ends all connections. */
    stop: () =>
      inTurn(() => {
        log({ level: "debug", event: "stopping" })
        service.stopping()
        return servers.stop()
      }),
  }
}

/** A relay whose timers run can connect: all that it does it does by events. */
function tellAlive(service: ServiceNotify): void {
  if (service.watchdogMs === undefined) return
  setInterval(() => service.alive(), service.watchdogMs / 2).unref()
}

/** Keeps servers connected with the vault, none at first. */
function keepServers({
  ledgerSocket,
  limits,
  report,
}: {
  readonly ledgerSocket: string
  readonly limits: RelayLimits
  readonly report: ReturnType<typeof reportServers>
}) {
  let kept: readonly ReturnType<typeof begin>[] = []
  let latest: RelaySettings
  const retry = retrySignal()
  function begin(server: Server) {
    const stop = new AbortController()
    const ask = {
      ...{ server, ledgerSocket, limits, retry },
      secureContext: () => latest.secureContext,
      onConnected: () => report.connected(server.name),
      onLost: (why: string) => report.lost(server.name, why),
    }
    const over = keepServer(ask, stop.signal)
    return { server, end: (): Promise<void> => (stop.abort(), over) }
  }
  async function endAllBut(servers: readonly Server[]): Promise<void> {
    const gone = kept.filter((each) => !servers.some((server) => isSame(server, each.server)))
    await Promise.all(gone.map(({ end }) => end()))
    report.forget(gone.map(({ server }) => server.name))
  }
  return {
    /** Ends what is no longer asked for, and begins what is new. Connections that stay keep the certificate they began with. */
    async follow(settings: RelaySettings): Promise<void> {
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

/** Tells log and systemd what became of each server: once per change, however often it is tried. */
function reportServers({ log, service }: Pick<RelayAsk, "log" | "service">) {
  /** Why each isn't connected; `undefined` for one that is. */
  const known = new Map<string, string | undefined>()
  const isNews = (server: string, why: string | undefined): boolean => {
    const isSame = known.has(server) && known.get(server) === why
    known.set(server, why)
    return !isSame
  }
  /** What `systemctl status` shows. */
  const status = (): string =>
    [...known]
      .map(([server, why]) => `${server}: ${why ?? "connected"}`)
      .sort()
      .join(" ") || "connecting"
  return {
    connected(server: string): void {
      if (!isNews(server, undefined)) return
      log({ level: "info", event: "server_connected", server })
      service.status(status())
    },
    lost(server: string, why: string): void {
      if (!isNews(server, why)) return
      log({ level: "warn", event: "server_lost", server, message: why })
      service.status(status())
    },
    /** Says nothing of these servers from now on, unless they are heard of again. */
    forget(servers: readonly string[]): void {
      for (const server of servers) known.delete(server)
    },
    status,
  }
}
