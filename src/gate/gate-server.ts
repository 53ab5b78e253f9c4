import { createServer, type Server } from "node:http"
import type { Duplex } from "node:stream"
import { setTimeout as after } from "node:timers/promises"

import type { BotLink } from "../contract/client.ts"
import { createApp, type App } from "./app.ts"
import type { GateMetrics } from "./http/metrics.ts"
import { invalidHeader, type Problem } from "./http/problem.ts"
import { headersOf, httpAnswer } from "./http/reply.ts"
import { Connections, inTurns, tokenOwners } from "./http/shares.ts"
import { gateLimits, type GateLimits } from "./process/gate-limits.ts"
import type { Log } from "./process/log.ts"
import type { LiveSettings } from "./settings.ts"
import { keepWarm } from "./sign/keep-warm.ts"
import { createSharedSends } from "./sign/sign.ts"

type GateDependencies = {
  readonly link: BotLink
  /** Those of now; while there are none, every call is answered 503. */
  readonly settings: Pick<LiveSettings, "current">
  readonly log: Log
  /** Whether every request has its line of log, and not only those that failed. */
  readonly logsRequests: boolean
  readonly metrics: GateMetrics
  readonly clock: () => number
  readonly limits?: Partial<GateLimits>
}

export type GateServer = ReturnType<typeof createGateServer>

/** Builds the gate without a server. */
export function createGateServer(deps: GateDependencies) {
  const limits = { ...gateLimits, ...deps.limits }
  const servers: Server[] = []
  const connections = new Connections(limits)
  const ownerOf = tokenOwners(async () => (await deps.link.call("tokens", {})).digests)
  const link = inTurns(deps.link, ownerOf, limits)
  const everyMs = () => deps.settings.current?.keepWarmMs
  const warm = keepWarm({ check: (ask) => link.call("check", ask), everyMs, clock: deps.clock })
  const app = createApp({
    ...deps,
    limits,
    connections,
    ownerOf,
    link,
    sends: createSharedSends(),
    signed(ask) {
      if (everyMs() !== undefined) warm.signed(ask)
    },
  })
  return {
    /** One more server of this gate, not listening yet. All of them share what is counted and what is under way. */
    open(): Server {
      const http = createHttpServer(limits)
      connections.watch(http)
      http.on("request", app.serve)
      http.on("checkExpectation", app.serve)
      answerBrokenRequests(http, connections)
      servers.push(http)
      return http
    },
    /** Takes no more connections, waits a bounded time for requests and reports at work, then disconnects everyone. */
    stop: () => stop(servers, app, limits.stopMs),
  }
}

function createHttpServer(limits: GateLimits): Server {
  const http = createServer({
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.connectionCheckMs,
    keepAliveTimeout: limits.keepAliveMs,
    // A request without Host gets our own answer to it.
    requireHostHeader: false,
  })
  http.setTimeout(limits.silenceMs)
  return http
}

/** The port that `http` listens on. */
export function portOf(http: Server): number {
  const address = http.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

/** Answers what Node's parser refuses in the envelope too. */
function answerBrokenRequests(http: Server, connections: Pick<Connections, "isAtWork">): void {
  http.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    // While a whole request before it is at work, the client would take this answer for that one's.
    const isGone = !socket.writable || error.code === "ECONNRESET"
    if (isGone || connections.isAtWork(socket)) socket.destroy()
    else socket.end(rawAnswer(brokenRequest(error.code)), () => socket.destroy())
  })
}

function brokenRequest(code: string | undefined): Problem {
  if (code === "HPE_HEADER_OVERFLOW") {
    return { code: "headers_too_large", message: "Send fewer or shorter headers." }
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return {
      code: "request_timeout",
      message: "The request took too long to arrive; send it again, whole.",
    }
  }
  return invalidHeader("", "The request isn't well-formed HTTP/1.1.")
}

function rawAnswer(problem: Problem): string {
  const answer = httpAnswer({ kind: "problem", problem })
  const headers = Object.entries({ ...headersOf(answer), Connection: "close" })
  const head = headers.map(([name, value]) => `${name}: ${String(value)}\r\n`).join("")
  return `HTTP/1.1 ${answer.status} ${problem.code}\r\n${head}\r\n${answer.body.toString()}`
}

async function stop(
  servers: readonly Server[],
  app: Pick<App, "idle">,
  limitMs: number,
): Promise<void> {
  const closed = Promise.all(
    servers.map((http) => new Promise<void>((resolve) => http.close(() => resolve()))),
  )
  // A connection that is kept alive becomes idle when its answer has left; nobody else closes it then.
  const sweep = setInterval(() => servers.forEach((http) => http.closeIdleConnections()), 20)
  const finished = closed.then(() => app.idle())
  await Promise.race([finished, after(limitMs, undefined, { ref: false })])
  clearInterval(sweep)
  servers.forEach((http) => http.closeAllConnections())
}
