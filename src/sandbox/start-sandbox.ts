import { once } from "node:events"
import { createServer, type Server, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { randomUUID } from "node:crypto"
import { setTimeout as wait } from "node:timers/promises"

import { Fault } from "../std/fault.ts"
import { answerRequest, failure, type Reply, type VenueRequest } from "./answer-request.ts"
import {
  createFaultBox,
  type VenueFault,
  controlFaults,
  controlPath,
  type FaultBox,
  lagNeedsMarket,
} from "./faults.ts"
import { sendReply, type Sending } from "./send-reply.ts"
import { openKeptVenue, type KeptVenue } from "./state-file.ts"
import { overBudget } from "./state/error-codes.ts"
import { controlMarket, isMarketControl } from "./market-control.ts"
import { createMarket } from "./market/market.ts"
import { advanceMarket } from "./market/seconds.ts"
import { movingTicker, stillTicker, type Ticker } from "./state/market.ts"
import { createVenue, type AcceptedWrite, type Venue } from "./state/venue.ts"
import type { PricePath } from "./state/market-state.ts"

type SandboxSettings = {
  /** 0 takes a free one. */
  readonly port: number
  /** Addresses that may trade from the start. */
  readonly accounts?: readonly string[]
  /** Whether anybody may. Not together with `stateFile`. */
  readonly isOpen?: boolean
  /** Milliseconds since 1970; the machine's clock if left out. */
  readonly clock?: () => number
  /** Takes one readable line a request. */
  readonly log?: (line: string) => void
  /** Faults that wait from the start. */
  readonly faults?: readonly VenueFault[]
  /** Where the chances of faults and the prices that move come from; 1 if left out. */
  readonly seed?: number
  /** Whether the prices of the ticker move. */
  readonly isMoving?: boolean
  /** Where prices go in a market; there is none if left out. Not together with `stateFile`. */
  readonly path?: PricePath | undefined
  /** Where accepted writes are kept; in memory alone if left out. */
  readonly stateFile?: string | undefined
}

export type Sandbox = {
  readonly port: number
  readonly url: string
  /** Stops listening and ends every connection. */
  readonly close: () => Promise<void>
}

// Loopback alone: anyone who reaches the sandbox may read its orders.
const host = "127.0.0.1"

/**
 * Plays the venue on 127.0.0.1.
 *
 * @throws {Fault} `port_in_use`, `port_unusable`, `config_invalid` for a state file that it can't use, or `usage` for a fault
 * that needs a market where there is none.
 */
export async function startSandbox(settings: SandboxSettings): Promise<Sandbox> {
  const { accounts = [], clock = Date.now, log = () => undefined, stateFile } = settings
  checkFaults(settings)
  const kept =
    stateFile === undefined
      ? inMemory(accounts, settings.isOpen)
      : openKeptVenue(stateFile, accounts)
  const { faults, ticker } = byChance(settings)
  const venue = withMarket(kept.venue, settings)
  const around = { venue, accepted: kept.keep, faults, ticker, clock, log }
  const ticking = tick(venue, clock)
  const server = createServer((request, response) => {
    void serveRequest({ request, response }, around)
  })
  try {
    const port = await listen(server, settings.port)
    return { port, url: `http://${host}:${port}`, close: () => close(server, kept, ticking) }
  } catch (error) {
    clearInterval(ticking)
    kept.close()
    throw error
  }
}

function byChance({ seed = 1, faults, isMoving = false }: SandboxSettings) {
  return {
    faults: createFaultBox(seed, faults),
    ticker: isMoving ? movingTicker(seed) : stillTicker,
  }
}

function checkFaults({ faults = [], path }: SandboxSettings): void {
  const lags = faults.some(({ kind }) => kind === "lag")
  if (lags && path === undefined) throw new Fault("usage", lagNeedsMarket)
}

/** The venue with a market that begins now, if its prices are given. */
function withMarket(
  venue: Venue,
  { path, seed = 1, clock = Date.now, log: say = () => undefined }: SandboxSettings,
): Venue {
  if (path === undefined) return venue
  return { ...venue, market: createMarket({ ...venue, path, seed, startMs: clock(), say }) }
}

/** Lets a market be seen in the log while nobody asks. What happens in it doesn't depend on that. */
function tick({ market }: Venue, clock: () => number): NodeJS.Timeout | undefined {
  if (market === undefined) return undefined
  return setInterval(() => advanceMarket(market, clock()), 1_000).unref()
}

function inMemory(accounts: readonly string[], isOpen?: boolean): KeptVenue {
  return { venue: createVenue(accounts, isOpen), keep: () => undefined, close: () => undefined }
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, host)
  try {
    await once(server, "listening")
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code // what `once` rejects with is the error event
    throw code === "EADDRINUSE"
      ? new Fault("port_in_use", `Port ${port} is in use; choose another with --port.`, { cause })
      : new Fault("port_unusable", `Port ${port} can't be used; choose another with --port.`, {
          cause,
        })
  }
  return (server.address() as AddressInfo).port // a listening TCP server has one
}

async function close(
  server: Server,
  kept: KeptVenue,
  ticking: NodeJS.Timeout | undefined,
): Promise<void> {
  clearInterval(ticking)
  if (!server.listening) return
  server.close()
  server.closeAllConnections()
  await once(server, "close")
  kept.close()
}

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse }

type Surroundings = {
  readonly venue: Venue
  readonly faults: FaultBox
  readonly clock: () => number
  readonly ticker: Ticker
  readonly log: (line: string) => void
  readonly accepted: (write: AcceptedWrite) => void
}

const maxBodyBytes = 65_536

/** Answers one HTTP request and logs one readable line. A caller that goes is no fault of the sandbox. */
async function serveRequest(exchange: Exchange, around: Surroundings): Promise<void> {
  const { response } = exchange
  const gone = new AbortController()
  response.once("close", () => gone.abort())
  const request = await readRequest(exchange.request).catch(() => undefined)
  if (request === undefined) return
  const struck = isOwnPath(request.path) ? [] : around.faults.strike(request.path)
  try {
    for (const { kind, ms } of struck) {
      if (kind === "latency") await wait(ms, undefined, { signal: gone.signal })
    }
    const reply = replyTo(request, struck, around)
    // Before the answer leaves, so that who has an answer finds its line.
    around.log(lineOf(request, reply, struck))
    const isDropped = struck.some(({ kind }) => kind === "drop_before" || kind === "drop_after")
    const sending: Sending = { response, gone: gone.signal, nowMs: around.clock() }
    if (isDropped) exchange.request.socket.destroy()
    else await sendReply(reply, struck, sending)
  } catch (error) {
    if (!gone.signal.aborted) throw error
  }
}

async function readRequest(request: IncomingMessage): Promise<VenueRequest> {
  const { method = "", url = "", socket } = request
  const [path = "", query = ""] = url.split(/\?(.*)/s)
  return {
    method,
    path,
    ip: socket.remoteAddress ?? "",
    query: new URLSearchParams(query),
    contentType: request.headers["content-type"],
    body: await readBytes(request),
  }
}

/** Reads the body to its end; `undefined` when it is longer than `maxBodyBytes`, what is over being dropped. */
async function readBytes(request: IncomingMessage): Promise<Uint8Array | undefined> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of request) {
    const bytes = chunk as Buffer // no encoding is set
    sizeBytes += bytes.length
    if (sizeBytes <= maxBodyBytes) chunks.push(bytes)
  }
  return sizeBytes > maxBodyBytes ? undefined : Buffer.concat(chunks)
}

function replyTo(
  request: VenueRequest,
  struck: readonly VenueFault[],
  around: Surroundings,
): Reply {
  const traceCode = randomUUID()
  const before = struck.find(({ kind }) => isInstead.includes(kind))
  if (before !== undefined) return faultReply(before, traceCode)
  const reply = play(request, { ...around, struck }, traceCode)
  const after = struck.find(({ kind }) => kind === "error_after")
  return after === undefined
    ? reply
    : { ...faultReply(after, traceCode), note: `answered ${after.status}, but: ${reply.note}` }
}

const isInstead: readonly VenueFault["kind"][] = ["drop_before", "rate_limit", "error_before"]

function faultReply({ kind, status, scope }: VenueFault, traceCode: string): Reply {
  if (kind === "rate_limit") return failure(overBudget(scope).error, traceCode)
  const reply = failure({ name: "fault", msg: "This fault was asked for." }, traceCode)
  return { ...reply, status, note: "not played" }
}

/** The sandbox's own paths meet no fault. */
function isOwnPath(path: string): boolean {
  return path === controlPath || isMarketControl(path)
}

function play(
  request: VenueRequest,
  around: Surroundings & { readonly struck: readonly VenueFault[] },
  traceCode: string,
): Reply {
  try {
    const { venue, faults, ticker, accepted } = around
    const hasMarket = venue.market !== undefined
    if (request.path === controlPath) {
      return controlFaults(request, { faults, hasMarket }, traceCode)
    }
    const nowMs = around.clock()
    if (isMarketControl(request.path)) return controlMarket(request, { venue, nowMs }, traceCode)
    const lag = around.struck.find(({ kind }) => kind === "lag")
    const asOfMs = lag === undefined ? undefined : nowMs - lag.ms
    return answerRequest(request, { venue, nowMs, asOfMs, ticker, accepted }, traceCode)
  } catch (error) {
    const cause = error instanceof Error ? error.message : "unknown"
    return failure({ name: "internal", msg: `The sandbox failed: ${cause}` }, traceCode)
  }
}

function lineOf(
  { method, path }: VenueRequest,
  reply: Reply,
  struck: readonly VenueFault[],
): string {
  // A path may hold bytes that a terminal would obey.
  const shownPath = path.replaceAll(/[^!-~]/g, "?")
  const line = `${method} ${shownPath} ${reply.status} ${reply.envelope.code} ${reply.note}`
  return struck.length === 0 ? line : `${line} (${struck.map(({ kind }) => kind).join(", ")})`
}
