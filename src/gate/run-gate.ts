import type { Server } from "node:http"
import { duplexPair } from "node:stream"
import { text } from "node:stream/consumers"
import { setTimeout as after } from "node:timers/promises"
import { parseArgs } from "node:util"

import { type BotLink, connectBotLink } from "../contract/client.ts"
import type { UpstreamSettings } from "../link/gate-settings.ts"
import { Fault } from "../std/fault.ts"
import { readLogLevel } from "../std/log.ts"
import type { ServiceNotify } from "../std/systemd.ts"
import { createGateServer, portOf } from "./gate-server.ts"
import { openGateMetrics } from "./http/metrics.ts"
import { hostInUrl, listen } from "./listen.ts"
import { alarmsOfVault } from "./notify/alarm-log.ts"
import { startNotify, toldSends } from "./notify/notify.ts"
import { pollAccounts } from "./poll-account.ts"
import { type PollDependencies, pollPrices } from "./poll-prices.ts"
import { gateLimits } from "./process/gate-limits.ts"
import { errorFields, type Log } from "./process/log.ts"
import { givenSettings, type LiveSettings, vaultSettings } from "./settings.ts"
import { outboxDeadlineMs, sendOutbox } from "./sign/send-outbox.ts"
import type { Upstream } from "./upstream/upstream.ts"
import { watchVenue } from "./upstream/watch-venue.ts"

type GateAsk = {
  readonly given: ReturnType<typeof parseArguments>
  /** Sockets that systemd opened, by name. */
  readonly descriptors: ReadonlyMap<string, number>
  readonly service: ServiceNotify
  readonly log: Log
}

export type RunningGate = Awaited<ReturnType<typeof runGate>>

/**
 * How long connections wait for the settings of a vault that isn't there yet, in the queue of sockets that
 * systemd holds. A start of both takes less; a bot that waits longer is better told than kept hanging.
 */
const patienceMs = 5_000

/** Builds the gate, has it listen, and tells systemd. @throws {Fault} */
export async function runGate(ask: GateAsk) {
  const { given, descriptors, service, log } = ask
  const link = connectBotLink(given.botSocket)
  const settings = settingsFor(ask, link)
  const upstream = (): Upstream | undefined => settings.current?.upstream
  const { venue, notify, metrics } = startWatching(ask, link, upstream)
  const shared = { log, metrics, clock: () => performance.now() }
  const logsRequests = given.logLevel === "debug"
  const gate = createGateServer({ ...shared, link, settings, logsRequests })
  await untilKnown(settings, service)
  const servers = await listen(gate, { ...given, descriptors })
  const outbox = sendOutbox({
    link: connectBotLink(given.botSocket, { deadlineMs: outboxDeadlineMs }),
    upstream,
    ...shared,
  })
  const polls = startPolls({ link, upstream, log })
  const [port = 0] = servers.map(portOf).filter((each) => each > 0)
  log({ level: "debug", event: "listening", port })
  const state = reportState({ service, servers, link })
  state.ready()
  return {
    port,
    /** Asks the vault for its settings anew, where it was asked for them. Never throws. */
    async reload(): Promise<void> {
      if (settings.renew === undefined) return
      service.reloading("asking the vault for its settings")
      await logged(settings.renew(), log)
      state.ready()
    },
    /** Finishes what is at work. */
    async stop(): Promise<void> {
      log({ level: "debug", event: "stopping" })
      service.stopping()
      notify.stop()
      venue.stop()
      polls.stop()
      await Promise.all([gate.stop(), inTime(outbox.stop())])
    },
  }
}

/** Begins what tells people how vault and venue are. */
function startWatching(
  { given, log }: GateAsk,
  link: BotLink,
  upstream: () => Upstream | undefined,
) {
  const venue = watchVenue(upstream)
  const alarms = alarmsOfVault(link, venue.unanswered)
  const notify = startNotify({ alarms, log, directory: given.notifyDirectory })
  return { venue, notify, metrics: toldSends(openGateMetrics(venue.unanswered), notify) }
}

/** Begins what the gate reads of the venue by itself. */
function startPolls(deps: PollDependencies) {
  const polls = [pollPrices(deps), pollAccounts(deps)]
  return {
    stop(): void {
      for (const poll of polls) poll.stop()
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
  const { upstream } = given
  const isService = service.isHeard || descriptors.size > 0
  return isService && upstream === null ? vaultSettings(link, log) : givenSettings(given)
}

async function logged(reload: Promise<void>, log: Log): Promise<void> {
  try {
    await reload
    log({ level: "info", event: "reloaded" })
  } catch (error) {
    log({ level: "warn", event: "reload_failed", ...errorFields(error) })
  }
}

/** Between looks at the vault where no watchdog sets the pace. */
const usualBeatMs = 10_000

/** What `systemctl status` shows until the vault answers. */
const waitingForVault = "waiting for the vault"

/**
 * Tells systemd that the gate serves, whether the vault answers, and that it is alive. Alive is a gate that
 * answers a request of its own: a vault that is away isn't fixed by killing the gate.
 */
function reportState({
  service,
  servers,
  link,
}: {
  readonly service: ServiceNotify
  readonly servers: readonly Server[]
  readonly link: BotLink
}) {
  let word = waitingForVault
  const line = (): string => `serving ${servers.map(placeOf).join(" and ")}; ${word}`
  const refresh = async (): Promise<void> => {
    const heard = await wordOf(link)
    if (heard === word) return
    word = heard
    service.status(line())
  }
  if (service.isHeard) {
    const { watchdogMs = 2 * usualBeatMs } = service
    void onBeat(watchdogMs / 2, refresh)
    void onBeat(watchdogMs / 2, async () => {
      const tests = servers.map((http) => answersItself(http, watchdogMs / 2))
      if ((await Promise.all(tests)).every(Boolean)) service.alive()
    })
  }
  return { /** Says that the gate serves. */ ready: () => service.ready(line()) }
}

async function onBeat(pauseMs: number, work: () => Promise<void>): Promise<never> {
  for (;;) {
    await work()
    await after(pauseMs, undefined, { ref: false })
  }
}

async function wordOf(link: BotLink): Promise<string> {
  try {
    const { signs, reasons } = await link.call("health", {})
    return `the vault signs ${[signs, ...reasons].join(", ")}`
  } catch {
    return waitingForVault
  }
}

function placeOf(http: Server): string {
  const address = http.address()
  // Node can't tell the path of a Unix socket that was handed over.
  if (address === null || typeof address === "string") return "a Unix socket"
  return `${hostInUrl(address.address)}:${address.port}`
}

const selfTest = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

/**
 * Whether `http` answers a request for `/healthz` with 200 in time. The connection is made in memory, and
 * taken as if it had come in: a gate that answers nobody must not seem alive because its timers run.
 */
export async function answersItself(http: Server, deadlineMs: number): Promise<boolean> {
  const [client, served] = duplexPair()
  const deadline = setTimeout(() => client.destroy(), deadlineMs)
  try {
    http.emit("connection", served)
    client.write(selfTest)
    return (await text(client)).startsWith("HTTP/1.1 200 ")
  } catch {
    return false
  } finally {
    clearTimeout(deadline)
    client.destroy()
    served.destroy()
  }
}

/** Parses the command line of the gate's process. @throws {Fault} `usage` */
export function parseArguments(argv: readonly string[]) {
  const values = parseOptions(argv)
  const port = Number(values.port)
  if (!/^\d{1,5}$/.test(values.port) || port > 65_535) {
    throw new Fault("usage", "--port must be a number from 0 to 65535.")
  }
  if (values["bot-socket"] === undefined) {
    throw new Fault("usage", "--bot-socket PATH is missing.")
  }
  return {
    host: values.host,
    port,
    botSocket: values["bot-socket"],
    /** `null` when none is given. */
    upstream: upstreamIn(values),
    allowedHosts: values["allowed-host"],
    keepWarmMs: keepWarmMsIn(values),
    /** Where private files with addresses and secrets of `notify` are. */
    notifyDirectory: values["notify-dir"],
    logLevel: values["log-requests"] ? "debug" : readLogLevel(),
  }
}

function upstreamIn(values: ReturnType<typeof parseOptions>): UpstreamSettings | null {
  const { upstream: baseUrl, "upstream-deadline-ms": deadline } = values
  if (baseUrl === undefined) return null
  if (!/^[1-9]\d{0,4}$/.test(deadline)) {
    throw new Fault("usage", "--upstream-deadline-ms must be a number from 1 to 99999.")
  }
  const { "upstream-ca": ca = null, "upstream-proxy": proxy = null } = values
  return { baseUrl, ca, proxy, deadlineMs: Number(deadline) }
}

function keepWarmMsIn({ "keep-warm-ms": ms }: ReturnType<typeof parseOptions>): number | undefined {
  if (ms === undefined) return undefined
  if (/^[1-9]\d{0,3}$/.test(ms)) return Number(ms)
  throw new Fault("usage", "--keep-warm-ms must be a number from 1 to 9999.")
}

function parseOptions(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        host: { type: "string", default: "127.0.0.1" },
        port: { type: "string", default: "8420" },
        "bot-socket": { type: "string" },
        upstream: { type: "string" },
        "upstream-ca": { type: "string" },
        "upstream-proxy": { type: "string" },
        "upstream-deadline-ms": { type: "string", default: String(gateLimits.upstreamTotalMs) },
        "allowed-host": { type: "string", multiple: true, default: [] },
        "keep-warm-ms": { type: "string" },
        "notify-dir": { type: "string" },
        "log-requests": { type: "boolean", default: false },
      },
    }).values
  } catch (cause) {
    throw new Fault("usage", "The gate was started with an argument it doesn't know.", { cause })
  }
}
