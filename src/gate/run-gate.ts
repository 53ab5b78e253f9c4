import { setTimeout as after } from "node:timers/promises"

import { connectBotLink, type BotLink } from "../link/client.ts"
import type { ServiceNotify } from "../std/systemd.ts"
import { createGateServer, portOf } from "./gate-server.ts"
import { listen } from "./listen.ts"
import { openGateMetrics } from "./metrics/gate-metrics.ts"
import { startNotify } from "./notify/notify.ts"
import { toldSends } from "./notify/told-sends.ts"
import { pollPrices } from "./prices/poll-prices.ts"
import { gateLimits } from "./process/gate-limits.ts"
import { errorFields, type Log } from "./process/log.ts"
import type { GateArguments } from "./process/parse-arguments.ts"
import { reportState, waitingForVault } from "./report-state.ts"
import { givenSettings, vaultSettings, type LiveSettings } from "./settings.ts"
import { outboxDeadlineMs, sendOutbox } from "./sign/send-outbox.ts"

export type GateAsk = {
  readonly given: GateArguments
  /** Sockets that systemd opened, by name. */
  readonly descriptors: ReadonlyMap<string, number>
  readonly service: ServiceNotify
  readonly log: Log
}

export type RunningGate = {
  readonly port: number
  /** Asks the vault for its settings anew, where it was asked for them. Never throws. */
  reload(): Promise<void>
  /** Finishes what is at work. */
  stop(): Promise<void>
}

/**
 * How long connections wait for the settings of a vault that isn't there yet, in the queue of sockets that
 * systemd holds. A start of both takes less; a bot that waits longer is better told than kept hanging.
 */
const patienceMs = 5_000

/** Builds the gate, has it listen, and tells systemd. @throws {Fault} */
export async function runGate(ask: GateAsk): Promise<RunningGate> {
  const { given, descriptors, service, log } = ask
  const link = connectBotLink(given.botSocket)
  const settings = settingsFor(ask, link)
  const notify = startNotify({ link, log, directory: given.notifyDirectory })
  const metrics = toldSends(openGateMetrics(), notify)
  const shared = { log, metrics, clock: () => performance.now() }
  const logsRequests = given.logLevel === "debug"
  const gate = createGateServer({ ...shared, link, settings, logsRequests })
  await untilKnown(settings, service)
  const servers = await listen(gate, { ...given, descriptors })
  const outbox = sendOutbox({
    link: connectBotLink(given.botSocket, { deadlineMs: outboxDeadlineMs }),
    upstream: () => settings.current?.upstream,
    ...shared,
  })
  const poll = pollPrices({ link, upstream: () => settings.current?.upstream, log })
  const [port = 0] = servers.map(portOf).filter((each) => each > 0)
  log({ level: "debug", event: "listening", port })
  const state = reportState({ service, servers, link })
  state.ready()
  return {
    port,
    async reload() {
      if (settings.renew === undefined) return
      service.reloading("asking the vault for its settings")
      await logged(settings.renew(), log)
      state.ready()
    },
    async stop() {
      log({ level: "debug", event: "stopping" })
      service.stopping()
      notify.stop()
      poll.stop()
      await Promise.all([gate.stop(), inTime(outbox.stop())])
    },
  }
}

function inTime(stopped: Promise<void>): Promise<void> {
  return Promise.race([stopped, after(gateLimits.stopMs, undefined, { ref: false })])
}

async function untilKnown(settings: LiveSettings, service: ServiceNotify): Promise<void> {
  if (settings.current === undefined) service.status(waitingForVault)
  await Promise.race([settings.known, after(patienceMs, undefined, { ref: false })])
}

/** A gate that systemd started asks the vault, unless it is told a venue on the command line. */
function settingsFor({ given, descriptors, service, log }: GateAsk, link: BotLink): LiveSettings {
  const { upstream, allowedHosts } = given
  const isService = service.isHeard || descriptors.size > 0
  return isService && upstream === null
    ? vaultSettings(link, log)
    : givenSettings({ upstream, allowedHosts })
}

async function logged(reload: Promise<void>, log: Log): Promise<void> {
  try {
    await reload
    log({ level: "info", event: "reloaded" })
  } catch (error) {
    log({ level: "warn", event: "reload_failed", ...errorFields(error) })
  }
}
