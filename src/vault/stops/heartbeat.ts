import type { Refusal } from "../../contract/refusal.ts"
import type { BotResults } from "../../link/calls/methods.ts"
import { isJsonObject } from "../../venue/json.ts"
import type { Acts } from "../active/active-set.ts"
import type { Config } from "../config/config.ts"
import type { Outbox } from "../ledger/outbox.ts"
import { panicName, type Client } from "../ledger/records/bindings.ts"
import { isSameScope, freezeOf } from "../ledger/records/freeze.ts"
import type { Others } from "../ledger/store/store.ts"
import type { Clock } from "../process/clock.ts"
import { logFailure, log } from "../process/log.ts"
import { parseBody } from "../request/parse-request.ts"
import { refuse, invalidRequest } from "../request/refuse.ts"
import { freeze } from "./freeze-methods.ts"
import { panic, type Panics } from "./panic.ts"

const everyMs = 250
/** A look that comes this late comes after a standstill of this process, in which beats may wait unread. */
const lateMs = 1_000

/** Who was heard, and what is done about silence. */
type Heard = Acts & { readonly heartbeats: Heartbeats }

/** What a missed heartbeat does; the outbox hands the gate what a panic signed. */
type Stops = Panics & { readonly outbox: Outbox }

type Watched = Heard & Stops & { readonly clock: Pick<Clock, "monotonicMs"> }

/** How often hosts that share a ledger tell each other whom they heard. */
const tellMs = 1_000
/** For what one heard to be told to all, twice `tellMs` and more; and for the host before to have acted. */
const perHostMs = 3_000

/** Looks for clients that fell silent, as long as the process runs. */
export function watchHeartbeats(watched: Watched): void {
  // Where others' can't be heard, silence says nothing.
  if (watched.ledger.isolated !== undefined) return
  setInterval(heartbeatLook(watched), everyMs).unref()
  const { heartbeats, active, ledger } = watched
  const exchange = async (): Promise<void> => {
    if (ledger.others === undefined || active().config.heartbeats.size === 0) return
    await heartbeats.exchange(ledger.others)
  }
  // Where it can't, the ledger is broken, which ends the process.
  setInterval(() => void exchange().catch(() => undefined), tellMs).unref()
}

/** How much longer than it may be a silence is before this host acts: of several, the first by name that is there does. */
function patienceMs({ postgres }: Pick<Config, "postgres">): number {
  if (postgres?.hosts === undefined) return 0
  return perHostMs * (1 + [...postgres.hosts.keys()].sort().indexOf(postgres.host))
}

/** One look, to be taken again and again: each client that fell silent is stopped once. */
export function heartbeatLook(watched: Watched): () => void {
  const { monotonicMs } = watched.clock
  const beingStopped = new Set<string>()
  let lastLookMs = monotonicMs()
  let armed = new Set(watched.active().armed)
  let wasLate = false
  return () => {
    const earlier = armed
    armed = new Set(watched.active().armed)
    for (const client of armed.difference(earlier)) watched.heartbeats.begin(client, lastLookMs)
    const sinceMs = monotonicMs() - lastLookMs
    lastLookMs += sinceMs
    // Passed over once: the next look comes after what waited was read.
    wasLate = sinceMs > lateMs && !wasLate
    if (wasLate) return
    for (const client of silentClients(watched)) {
      if (beingStopped.has(client)) continue
      beingStopped.add(client)
      stopSilent(client, watched).then(
        () => beingStopped.delete(client),
        // It stays among those being stopped: without its ledger the vault signs nothing anyway.
        (error: unknown) => logFailure("missed_heartbeat_not_recorded", error),
      )
    }
  }
}

/**
 * Does what countersign.yaml says of a client that fell silent. Recorded last, so that a crash in the
 * middle leaves it armed, and the next run stops it again.
 */
async function stopSilent(client: string, stops: Stops): Promise<void> {
  const { config, freezes } = stops.active()
  const { withinMs, then } = config.heartbeats.get(client) ?? { withinMs: 0, then: "freeze" }
  const reason = `no heartbeat of ${client} for more than ${withinMs / 1_000} s`
  const by = `heartbeats/${client}` // no client's name has a slash
  log({ level: "error", event: "heartbeat_missed", message: `${reason}; then: ${then}` })
  if (then === "panic") await panicForNobody({ reason, by }, stops)
  else {
    const scope = { scope: "client", name: client } as const
    const isFrozen = freezes.some((earlier) => isSameScope(earlier, scope))
    if (!isFrozen) await freeze({ ...scope, reason, by, cancels: true }, stops)
  }
  await stops.act({ act: "heartbeat_missed", client })
}

/** Nobody is at the command line, so the gate sends what is signed. */
async function panicForNobody(
  why: { readonly reason: string; readonly by: string },
  stops: Stops,
): Promise<void> {
  const signed = await panic({ ...why, client: panicName }, stops)
  const { requests, unsigned, add_lines: addLines } = signed
  stops.outbox.put(requests)
  const lost = unsigned.map(({ operation, key, message }) => `${operation} by ${key}: ${message}`)
  const missing = addLines.map((line) => `add to venue.yaml: ${line}`)
  const message = [`${requests.length} requests signed for the gate to send`, ...lost, ...missing]
  log({ level: "error", event: "panic", message: message.join("; ") })
}

/**
 * `POST /heartbeat`: the client is there. Its silence counts from its first heartbeat on, since a bot that
 * never came up has no orders that a stop would help. That it counts is in the ledger, so a restart of the
 * daemon in which the bot ended too is no way out: the count begins at the start then. Beats never thaw. `body` is base64.
 */
export async function heartbeat(
  body: string,
  { name, keys }: Client,
  heard: Heard,
): Promise<BotResults["heartbeat"]> {
  const wrong = wrongBody(Buffer.from(body, "base64"))
  if (wrong !== undefined) return refuse(wrong, null)
  heard.heartbeats.hear(name)
  const { config, armed } = heard.active()
  const watch = config.heartbeats.get(name)
  if (watch !== undefined && !armed.includes(name)) {
    await heard.act({ act: "heartbeat_armed", client: name })
  }
  const request = { client: name, key: keys[0], lane: "open" } as const
  return {
    kind: "answer",
    heartbeat: {
      within_ms: watch?.withinMs ?? null,
      then: watch?.then ?? null,
      frozen: freezeOf(request, heard.active().freezes) !== undefined,
    },
  }
}

/** The clients that were heard once and are silent for longer than they may be. */
function silentClients({ active, heartbeats }: Heard): readonly string[] {
  const { armed, config, clients } = active()
  return armed.filter((name) => {
    const watch = config.heartbeats.get(name)
    const client = clients.find((each) => each.name === name)
    // Where an operator revoked the client, or took the right from it, no heartbeat can come any more.
    if (watch === undefined || client?.rights.includes("heartbeat") !== true) return false
    const isSilent = heartbeats.silentMs(name) > watch.withinMs + patienceMs(config)
    return client.token_hash !== null && isSilent
  })
}

function wrongBody(bytes: Uint8Array): Refusal | undefined {
  const json = parseBody(bytes)
  if (!json.ok) return json.error
  if (isJsonObject(json.value) && Object.keys(json.value).length === 0) return undefined
  return invalidRequest([{ path: "", rule: "heartbeat", message: "the body must be {}" }])
}

/** When clients were heard last, in monotonic time: a clock that is set makes nobody miss a beat. */
export type Heartbeats = ReturnType<typeof openHeartbeats>

/** Begins now, as if every client had just been heard. */
export function openHeartbeats({ monotonicMs }: Pick<Clock, "monotonicMs">) {
  const openedMs = monotonicMs()
  const heardMs = new Map<string, number>()
  const untold = new Set<string>()
  let toldMs: number | undefined
  const hear = (client: string): void => void heardMs.set(client, monotonicMs())
  return {
    hear(client: string): void {
      hear(client)
      untold.add(client)
    },
    /** How long a client has been silent, since the start for one that wasn't heard since; of several hosts, by when they told each other last. */
    silentMs: (client: string) => (toldMs ?? monotonicMs()) - (heardMs.get(client) ?? openedMs),
    /** Its silence is no older than this, in monotonic time: it counts since another host heard it. */
    begin(client: string, atMs: number): void {
      heardMs.set(client, Math.max(atMs, heardMs.get(client) ?? openedMs))
    },
    /** Tells other hosts who was heard here since the last time, and hears whom they heard. */
    async exchange(others: Pick<Others, "tellHeard">): Promise<void> {
      const beganMs = monotonicMs()
      toldMs ??= beganMs
      const told = [...untold]
      untold.clear()
      // What others heard isn't told on: it would never end.
      for (const client of await others.tellHeard(told)) hear(client)
      toldMs = beganMs
    },
  }
}
