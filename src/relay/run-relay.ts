import { oneAtATime } from "../std/one-at-a-time.ts"
import type { ServiceNotify } from "../std/systemd.ts"
import { loadRelay } from "./config/load-relay.ts"
import { keepServers } from "./keep-servers.ts"
import { failureFields, type Log } from "./process/log.ts"
import type { RelayArguments } from "./process/parse-arguments.ts"
import { relayLimits, type RelayLimits } from "./process/relay-limits.ts"
import { reportServers } from "./report-servers.ts"

export type RelayAsk = {
  readonly given: Pick<RelayArguments, "configFile" | "ledgerSocket">
  readonly service: ServiceNotify
  readonly log: Log
  readonly limits?: RelayLimits
}

export type RunningRelay = {
  /**
   * Reads relay.yaml and its files anew. Connections to servers that stay go on; those after them have the new
   * certificate. Never throws.
   */
  reload(): Promise<void>
  /** Ends all connections. */
  stop(): Promise<void>
}

/** Begins to connect each server with the vault. @throws {Fault} */
export async function runRelay(ask: RelayAsk): Promise<RunningRelay> {
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
