import { type Dispatcher, Pool, ProxyAgent } from "undici"

import type { UpstreamSettings } from "../../link/gate-settings.ts"
import { Fault } from "../../std/fault.ts"
import { version } from "../../std/version.ts"
import { type GateLimits, gateLimits } from "../process/gate-limits.ts"
import { Exchange, type Sent } from "./exchange.ts"
import { type Failing, failingAfter } from "./reach.ts"

export type SendAsk = {
  /** From `/v1/` on, as the vault gave it. */
  readonly path: string
  readonly body: string
  readonly traceparent: string | undefined
  /** Asked once, right before the first byte is written: `false` holds the request back for good. */
  readonly maySend: () => boolean
}

/** What the venue is asked to tell. */
export type FetchAsk = {
  /** From `/v1/` on, without its query. */
  readonly path: string
  /** Without its `?`; empty where there is none. */
  readonly query: string
  readonly traceparent: string | undefined
  /** Ends the exchange wherever it is. */
  readonly signal: AbortSignal
}

export type Upstream = ReturnType<typeof createUpstream>

type UpstreamOptions = {
  readonly baseUrl: URL
  readonly limits: GateLimits
  /** PEM of the authorities to trust in place of the system's. */
  readonly ca?: string
  /** Tunnels connections to an https venue; loopback over http is reached without it. */
  readonly proxy?: URL
}

/** Opens what sends to the venue as it is configured. @throws {Fault} `config_invalid` */
export function openUpstream({ baseUrl, ca, proxy, deadlineMs }: UpstreamSettings): Upstream {
  return createUpstream({
    baseUrl: parseBaseUrl(baseUrl),
    limits: { ...gateLimits, upstreamTotalMs: deadlineMs },
    ...(ca !== null && { ca }),
    ...(proxy !== null && { proxy: parseProxy(proxy) }),
  })
}

/** Sends signed bodies to the venue, at one fixed base address. */
export function createUpstream(options: UpstreamOptions) {
  const { baseUrl, limits } = options
  const pool = openPool(options)
  let closing: Promise<void> | undefined
  let failing: Failing | undefined
  const prefix = baseUrl.pathname.replace(/\/$/, "")
  const exchange = async (exchanged: Exchanged): Promise<Sent> => {
    const sent = await exchangeOnce(pool, exchanged, limits)
    failing = failingAfter(failing, sent, Date.now())
    return sent
  }

  return {
    /** Of the venue. */
    address: baseUrl.origin + prefix,
    /** Sends once, and never again. Never throws. */
    send(ask: SendAsk): Promise<Sent> {
      const request = requestOf(baseUrl.origin, { ...ask, path: prefix + ask.path })
      return exchange({ request, maySend: ask.maySend })
    },
    /** Reads once. Never throws. */
    fetch(ask: FetchAsk): Promise<Sent> {
      const request = fetchRequestOf(baseUrl.origin, { ...ask, path: prefix + ask.path })
      const { signal } = ask
      return exchange({ request, signal, maySend: () => !signal.aborted })
    },
    /** Since when nothing that was tried was answered, if so. */
    failing: () => failing,
    /** Connects, and writes nothing: whether there is a way to the venue costs none of its budgets. Never throws. */
    async connect(): Promise<void> {
      const path = `${prefix}/v1/x`
      const request = requestOf(baseUrl.origin, { path, body: "", traceparent: undefined })
      await exchange({ request, maySend: () => false })
    },
    /** Waits for requests under way. Safe to call twice. */
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
 * Parses the venue's base address.
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
 * Parses the address of a proxy.
 *
 * @throws {Fault} `config_invalid` unless it is http with nothing but host and port.
 */
function parseProxy(text: string): URL {
  const url = URL.parse(text)
  const isBare = url !== null && url.username + url.password + url.search + url.hash === ""
  if (isBare && url.protocol === "http:" && url.pathname === "/") return url
  throw new Fault("config_invalid", "upstream.proxy must be http://host:port, without credentials.")
}

function isSecure(url: URL): boolean {
  const isLoopback = ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname)
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback)
}

type Exchanged = {
  readonly request: Dispatcher.DispatchOptions
  readonly maySend: () => boolean
  readonly signal?: AbortSignal
}

function exchangeOnce(
  pool: Dispatcher,
  { request, maySend, signal }: Exchanged,
  limits: GateLimits,
): Promise<Sent> {
  return new Promise((resolve) => {
    const exchange = new Exchange(maySend, limits, (sent) => {
      clearTimeout(deadline)
      signal?.removeEventListener("abort", hangUp)
      resolve(sent)
    })
    const hangUp = (): void => exchange.giveUp("hung up")
    const deadline = setTimeout(() => exchange.giveUp("deadline"), limits.upstreamTotalMs)
    signal?.addEventListener("abort", hangUp)
    try {
      if (!isPlain(request)) throw new Fault("internal", "The path isn't plain.")
      pool.dispatch(request, exchange)
    } catch (error) {
      exchange.giveUp(error)
    }
  })
}

/** Only what reads has a query. */
function isPlain({ method, path }: Dispatcher.DispatchOptions): boolean {
  const [first = "", ...rest] = path.split("?")
  return isPlainPath(first) && (rest.length === 0 || method === "GET") && isQuery(rest.join("?"))
}

function requestOf(origin: string, ask: Omit<SendAsk, "maySend">): Dispatcher.DispatchOptions {
  return {
    origin,
    method: "POST",
    path: ask.path,
    body: ask.body,
    idempotent: false,
    headers: { "content-type": "application/json", ...headersOf(ask) },
  }
}

function fetchRequestOf(origin: string, ask: FetchAsk): Dispatcher.DispatchOptions {
  return {
    origin,
    method: "GET",
    path: ask.query === "" ? ask.path : `${ask.path}?${ask.query}`,
    idempotent: false,
    headers: headersOf(ask),
  }
}

function headersOf({ traceparent }: Pick<SendAsk, "traceparent">) {
  return {
    accept: "application/json",
    // Bots read the answer as it is, and so does the record.
    "accept-encoding": "identity",
    "user-agent": `countersign/${version}`,
    ...(traceparent !== undefined && { traceparent }),
  }
}

// What of a request's first line may go to the venue.

/** Together with the path it stays far below what HTTP servers take of a first line. */
const maxQueryLength = 2_048

// Only words, so that nothing of the path can lead out of the base address.
const plainPath = /^(?:\/[A-Za-z0-9._-]*[A-Za-z0-9_-])+$/

// Visible ASCII: no space, no #, no backslash and no quotes, of which readers make different things.
const queryPattern = /^[\x21\x24-\x26\x28-\x5b\x5d-\x5f\x61-\x7e]*$/

/** Whether a text may be the path of a request to the venue. */
export function isPlainPath(text: string): boolean {
  return plainPath.test(text)
}

/** Whether a text may go to the venue as a query, without its `?`, exactly as it is. */
export function isQuery(text: string): boolean {
  return text.length <= maxQueryLength && queryPattern.test(text)
}
