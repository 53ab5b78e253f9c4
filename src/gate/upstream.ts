import type { IncomingHttpHeaders } from "node:http"

import { Pool, ProxyAgent, type Dispatcher } from "undici"

import type { VenueClockReading } from "../link/venue-clock.ts"
import { Fault } from "../std/fault.ts"
import type { GateLimits } from "./gate-limits.ts"
import type { VenueAnswer } from "./reply.ts"
import { venueOffset } from "./venue-offset.ts"
import { version } from "../version.ts"

/** What became of a send. `unsent` is a proof that no byte of the request left; `unknown` claims nothing. */
export type Sent =
  | {
      readonly kind: "answered"
      readonly answer: VenueAnswer
      /** Where the answer told its time. */
      readonly venueClock?: VenueClockReading | undefined
    }
  | { readonly kind: "unsent"; readonly cause: unknown }
  | { readonly kind: "unknown"; readonly status: number | null; readonly cause: unknown }

export type SendAsk = {
  /** From `/v1/` on, as the vault gave it. */
  readonly path: string
  readonly body: string
  readonly traceparent: string | undefined
  /** Asked once, right before the first byte is written: `false` holds the request back for good. */
  readonly maySend: () => boolean
}

export type Upstream = {
  /** Sends once, and never again. Never throws. */
  send(ask: SendAsk): Promise<Sent>
  /** Waits for requests under way. Safe to call twice. */
  close(): Promise<void>
}

export type UpstreamOptions = {
  readonly baseUrl: URL
  readonly limits: GateLimits
  /** PEM of the authorities to trust in place of the system's. */
  readonly ca?: string
  /** Tunnels connections to an https venue; loopback over http is reached without it. */
  readonly proxy?: URL
}

/** Sends signed bodies to the venue, at one fixed base address. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const { baseUrl, limits } = options
  const pool = openPool(options)
  let closing: Promise<void> | undefined
  const prefix = baseUrl.pathname.replace(/\/$/, "")

  return {
    send: (ask) => {
      const request = requestOf(baseUrl.origin, { ...ask, path: prefix + ask.path })
      return sendOnce(pool, { ask, request }, limits)
    },
    close: () => (closing ??= pool.close()),
  }
}

/** Connections to the venue; through a proxy, which sees a name, a port and TLS's bytes. */
function openPool({ baseUrl, limits, ca, proxy }: UpstreamOptions): Dispatcher {
  const connect = {
    timeout: limits.upstreamConnectMs,
    allowH2: false,
    // Also where NODE_TLS_REJECT_UNAUTHORIZED says otherwise.
    rejectUnauthorized: true,
    ...(ca !== undefined && { ca }),
  }
  const pool = {
    // One request a connection at a time, HTTP/1.1: over HTTP/2 a reset stream may be sent again.
    allowH2: false,
    pipelining: 1,
    connections: limits.maxUpstreamConnections,
    keepAliveTimeout: limits.upstreamKeepAliveMs,
    keepAliveMaxTimeout: limits.upstreamKeepAliveMs,
    // The deadline over all takes their place.
    headersTimeout: 0,
    bodyTimeout: 0,
  }
  if (proxy === undefined || baseUrl.protocol === "http:") {
    return new Pool(baseUrl.origin, { ...pool, connect })
  }
  return new ProxyAgent({
    ...pool,
    uri: proxy.origin,
    requestTls: connect,
    proxyTls: { timeout: limits.upstreamConnectMs },
    // Each tunnel takes its connection for itself; one whose CONNECT isn't answered is given up in time.
    clientFactory: (origin, opts) =>
      new Pool(origin, { ...opts, headersTimeout: limits.upstreamConnectMs }),
  })
}

/**
 * Reads the venue's base address.
 *
 * @throws {Fault} `config_invalid` unless it is https, or http to loopback, without user, query and fragment.
 */
export function parseBaseUrl(text: string): URL {
  const url = URL.parse(text)
  const isBare = url !== null && url.username + url.password + url.search + url.hash === ""
  if (isBare && isSecure(url)) return url
  throw new Fault(
    "config_invalid",
    "base_url must be an https address (http only to loopback) without user, query or fragment.",
  )
}

/**
 * Reads the address of a proxy.
 *
 * @throws {Fault} `config_invalid` unless it is http with nothing but host and port.
 */
export function parseProxy(text: string): URL {
  const url = URL.parse(text)
  const isBare = url !== null && url.username + url.password + url.search + url.hash === ""
  if (isBare && url.protocol === "http:" && url.pathname === "/") return url
  throw new Fault("config_invalid", "upstream.proxy must be http://host:port, without credentials.")
}

function isSecure(url: URL): boolean {
  const isLoopback = ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname)
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback)
}

// Only words, so that nothing of the path can lead out of the base address.
const plainPath = /^(?:\/[A-Za-z0-9._-]*[A-Za-z0-9_-])+$/

function sendOnce(
  pool: Dispatcher,
  { ask, request }: { readonly ask: SendAsk; readonly request: Dispatcher.DispatchOptions },
  limits: GateLimits,
): Promise<Sent> {
  return new Promise((resolve) => {
    const exchange = new Exchange(ask, limits.maxUpstreamAnswerBytes, (sent) => {
      clearTimeout(deadline)
      resolve(sent)
    })
    const deadline = setTimeout(() => exchange.giveUp("deadline"), limits.upstreamTotalMs)
    try {
      if (!plainPath.test(request.path)) throw new Fault("internal", "The path isn't plain.")
      pool.dispatch(request, exchange)
    } catch (error) {
      exchange.giveUp(error)
    }
  })
}

function requestOf(origin: string, ask: SendAsk): Dispatcher.DispatchOptions {
  return {
    origin,
    method: "POST",
    path: ask.path,
    body: ask.body,
    idempotent: false,
    headers: {
      "content-type": "application/json",
      accept: "application/json",
      "user-agent": `countersign/${version}`,
      ...(ask.traceparent !== undefined && { traceparent: ask.traceparent }),
    },
  }
}

/**
 * Follows one request. undici calls `onRequestStart` right before it writes the first byte, and never
 * writes without it: an error before that proves that nothing was sent, an error after it proves nothing.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #ask: SendAsk
  readonly #maxBytes: number
  readonly #settle: (sent: Sent) => void
  #controller: Dispatcher.DispatchController | undefined
  #isOver = false
  #head: Omit<VenueAnswer, "body"> | undefined
  #sentMs = 0
  #venueClock: VenueClockReading | undefined
  readonly #chunks: Buffer[] = []
  #receivedBytes = 0

  constructor(ask: SendAsk, maxBytes: number, settle: (sent: Sent) => void) {
    this.#ask = ask
    this.#maxBytes = maxBytes
    this.#settle = settle
  }

  /** Settles with what is known, and cuts the connection. */
  giveUp(cause: unknown): void {
    if (this.#isOver) return
    const status = this.#head?.status ?? null
    if (this.#controller === undefined) this.#finish({ kind: "unsent", cause })
    else this.#finish({ kind: "unknown", status, cause })
    this.#controller?.abort(new Error("given up"))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // undici may start a request anew on another connection; what was begun once is never begun again.
    if (this.#isOver || this.#controller !== undefined) controller.abort(new Error("not again"))
    else if (this.#ask.maySend()) {
      this.#controller = controller
      this.#sentMs = Date.now()
    } else {
      this.#finish({ kind: "unsent", cause: "held back" })
      controller.abort(new Error("held back"))
    }
  }

  onResponseStart(_: unknown, status: number, headers: IncomingHttpHeaders): void {
    this.#head = { status, headers: passedHeaders(headers) }
    const times = { sentMs: this.#sentMs, headMs: Date.now() }
    this.#venueClock = venueOffset(headers.date, times)
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    this.#receivedBytes += chunk.length
    this.#chunks.push(chunk)
    if (this.#receivedBytes > this.#maxBytes) this.giveUp("answer too large")
  }

  onResponseEnd(): void {
    if (this.#isOver || this.#head === undefined) return
    this.#finish({
      kind: "answered",
      answer: { ...this.#head, body: Buffer.concat(this.#chunks) },
      venueClock: this.#venueClock,
    })
  }

  onResponseError(_: unknown, error: Error): void {
    this.giveUp(error)
  }

  #finish(sent: Sent): void {
    this.#isOver = true
    this.#settle(sent)
  }
}

function passedHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const passed = ["content-type", "content-encoding", "retry-after"].flatMap((name) => {
    const value = headers[name]
    return typeof value === "string" ? [[name, value] as const] : []
  })
  return Object.fromEntries(passed)
}
