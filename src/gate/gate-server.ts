import { createServer, type IncomingMessage, type Server } from "node:http"
import type { Duplex } from "node:stream"
import { setTimeout as after } from "node:timers/promises"

import type { BotLink } from "../link/client.ts"
import { createApp } from "./app.ts"
import { invalidHeader, type Problem } from "./http/problem.ts"
import { httpAnswer } from "./http/reply.ts"
import type { GateMetrics } from "./metrics/gate-metrics.ts"
import { gateLimits, type GateLimits } from "./process/gate-limits.ts"
import type { Log } from "./process/log.ts"
import type { LiveSettings } from "./settings.ts"
import { createSharedSends } from "./sign/repeats.ts"

export type GateDependencies = {
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

export type GateServer = {
  /** One more server of this gate, not listening yet. All of them share what is counted and what is under way. */
  open(): Server
  /** Takes no more connections, waits a bounded time for requests and reports at work, then disconnects everyone. */
  stop(): Promise<void>
}

/** Builds the gate without a server. */
export function createGateServer(deps: GateDependencies): GateServer {
  const limits = { ...gateLimits, ...deps.limits }
  const work = new Set<Promise<unknown>>()
  const servers: Server[] = []
  const app = createApp({
    ...deps,
    limits,
    sends: createSharedSends(limits.shareAnswerMs),
    upstream: () => deps.settings.current?.upstream,
    hosts: ({ localPort }) => deps.settings.current?.hosts(localPort),
    track(promise) {
      const tracked = promise.catch(() => undefined).finally(() => work.delete(tracked))
      work.add(tracked)
    },
  })
  return {
    open() {
      const http = createHttpServer(limits)
      http.on("request", app)
      http.on("checkExpectation", app)
      answerBrokenRequests(http)
      servers.push(http)
      return http
    },
    stop: () => stop(servers, work, limits.stopMs),
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
  http.maxConnections = limits.maxConnections
  http.setTimeout(limits.silenceMs)
  return http
}

/** The port that `http` listens on. */
export function portOf(http: Server): number {
  const address = http.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

/** Answers what Node's parser refuses in the envelope too. */
function answerBrokenRequests(http: Server): void {
  const requests = new WeakMap<Duplex, Set<IncomingMessage>>()
  http.on("request", (request, response) => {
    const { socket } = request
    const open = requests.get(socket) ?? new Set()
    requests.set(socket, open.add(request))
    response.on("close", () => open.delete(request))
  })
  http.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    // While a whole request before it is at work, the client would take this answer for that one's.
    const isAtWork = [...(requests.get(socket) ?? [])].some((request) => request.complete)
    if (isAtWork || !socket.writable || error.code === "ECONNRESET") socket.destroy()
    else socket.end(rawAnswer(brokenRequest(error.code)), () => socket.destroy())
  })
}

function brokenRequest(code: string | undefined): Problem {
  if (code === "HPE_HEADER_OVERFLOW") {
    return { code: "headers_too_large", message: "Send fewer or shorter headers." }
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return { code: "request_timeout", message: "The request took too long to arrive." }
  }
  return invalidHeader("", "The request isn't well-formed HTTP/1.1.")
}

function rawAnswer(problem: Problem): Buffer {
  const { status, headers, body } = httpAnswer({ kind: "problem", problem })
  const lines = Object.entries({ ...headers, "Content-Length": body.length, Connection: "close" })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} ${problem.code}\r\n${head}\r\n`), body])
}

async function stop(
  servers: readonly Server[],
  work: Set<Promise<unknown>>,
  limitMs: number,
): Promise<void> {
  const closed = Promise.all(
    servers.map((http) => new Promise<void>((resolve) => http.close(() => resolve()))),
  )
  // A connection that is kept alive becomes idle when its answer has left; nobody else closes it then.
  const sweep = setInterval(() => servers.forEach((http) => http.closeIdleConnections()), 20)
  const finished = closed.then(async () => {
    while (work.size > 0) await Promise.all(work)
  })
  await Promise.race([finished, after(limitMs, undefined, { ref: false })])
  clearInterval(sweep)
  servers.forEach((http) => http.closeAllConnections())
}
