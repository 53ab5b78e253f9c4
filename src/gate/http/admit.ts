// What a request must be before anything is done for it. Plain functions over IncomingMessage: the
// first that returns a problem decides. They run in the order in which they are written here.

import type { IncomingMessage } from "node:http"

import type { GateLimits } from "../process/gate-limits.ts"
import { invalidHeader, vaultUnavailable, type Problem } from "./problem.ts"

type Admission = Problem | undefined

/** Says that the gate runs, and no more: neither load nor a vault that is away makes it another answer. */
export const livenessPath = "/healthz"

/** Admits what every request must be, whatever its path. No `hosts` are known before the vault told the settings. */
export function admit(
  request: IncomingMessage,
  hosts: ReadonlySet<string> | undefined,
  limits: GateLimits,
): Admission {
  const problem = admitForm(request, limits)
  if (problem !== undefined) return problem
  if (hosts !== undefined) return admitHost(request, hosts) ?? admitOrigin(request, hosts)
  return request.url === livenessPath ? undefined : vaultUnavailable
}

/**
 * The values of `Host` that mean this gate: loopback's names and `allowedHosts`, each with our port. A Unix
 * socket has no port, so there each stands alone.
 */
export function ownHosts(
  allowedHosts: readonly string[],
  port: number | undefined,
): ReadonlySet<string> {
  const names = ["127.0.0.1", "localhost", "[::1]", ...allowedHosts].map((name) =>
    name.toLowerCase(),
  )
  if (port === undefined) return new Set(names)
  // HTTP leaves its default port out (RFC 9110 §4.2.3).
  return new Set(
    names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`])),
  )
}

/** {@link ownHosts} by port, each made once. */
export function hostsByPort(
  allowedHosts: readonly string[],
): (port: number | undefined) => ReadonlySet<string> {
  const made = new Map<number | undefined, ReadonlySet<string>>()
  return (port) => {
    const hosts = made.get(port) ?? ownHosts(allowedHosts, port)
    made.set(port, hosts)
    return hosts
  }
}

/** Refuses a request whose first line or headers another reader could take in another way. */
function admitForm(request: IncomingMessage, limits: GateLimits): Admission {
  if (request.rawHeaders.length / 2 > limits.maxHeaders) {
    return { code: "headers_too_large", message: `Send at most ${limits.maxHeaders} headers.` }
  }
  const framing = admitFraming(request)
  if (framing !== undefined) return framing
  if (headerValues(request, "host").length !== 1) {
    return invalidHeader("Host", "Send exactly one Host header.")
  }
  const refusal = admitTarget(request.url ?? "", request.method)
  if (refusal !== undefined) return refusal
  // Java's HttpClient offers it to every http address; an offer may be ignored (RFC 9110 §7.8).
  if (headerValues(request, "upgrade").some((value) => value.toLowerCase() !== "h2c")) {
    return invalidHeader("Upgrade", "This server speaks plain HTTP/1.1; send no Upgrade header.")
  }
  const expectations = headerValues(request, "expect")
  if (expectations.some((value) => value.toLowerCase() !== "100-continue")) {
    return invalidHeader("Expect", "Send Expect: 100-continue, or no Expect header.")
  }
  return undefined
}

/**
 * Node's parser takes versions that it doesn't speak, and any encoding before the chunks, which it leaves in the body.
 * Whatever doesn't end in chunks it refuses itself.
 */
function admitFraming(request: IncomingMessage): Admission {
  if (request.httpVersion !== "1.1" && request.httpVersion !== "1.0") {
    return invalidHeader("request-line", "Send HTTP/1.1.")
  }
  const encodings = headerValues(request, "transfer-encoding").join().toLowerCase()
  if (!/,[ \t]*chunked[ \t]*$/.test(encodings)) return undefined
  return invalidHeader("Transfer-Encoding", "Send Transfer-Encoding: chunked, or no such header.")
}

function admitTarget(target: string, method: string | undefined): Admission {
  if (!target.startsWith("/")) {
    return invalidHeader("request-target", "Send the path alone, not an absolute URL.")
  }
  if (!target.includes("?") || takesQuery(target, method)) return undefined
  return invalidHeader("request-target", "This call takes no query string; remove it.")
}

/** Looking up records does, and what reads from the venue. */
function takesQuery(target: string, method: string | undefined): boolean {
  return target.startsWith("/records?") || (method === "GET" && target.startsWith("/v1/"))
}

/** Refuses another's name, so that a web page can't reach us by a name that it points here (DNS rebinding). */
function admitHost(request: IncomingMessage, hosts: ReadonlySet<string>): Admission {
  const [host = ""] = headerValues(request, "host")
  if (hosts.has(host.toLowerCase())) return undefined
  return {
    code: "misdirected_host",
    message:
      "This Host isn't served here; use 127.0.0.1 with our port, or add it to allowed_hosts.",
  }
}

/** Refuses what a browser sends for another site's page. */
function admitOrigin(request: IncomingMessage, hosts: ReadonlySet<string>): Admission {
  const isOurs = headerValues(request, "origin").every((origin) =>
    hosts.has(origin.toLowerCase().replace(/^http:\/\//, "")),
  )
  const isFromHere = headerValues(request, "sec-fetch-site").every(
    (site) => site === "same-origin" || site === "none",
  )
  if (isOurs && isFromHere) return undefined
  return {
    code: "origin_refused",
    message: "Web pages of other origins can't call this server; call it from a program.",
  }
}

/** Refuses every method but those of a path. HEAD and OPTIONS aren't answered for it either. */
export function admitMethod(
  request: IncomingMessage,
  routes: readonly { readonly method: string }[],
): Admission {
  if (routes.some(({ method }) => method === request.method)) return undefined
  const methods = routes.map(({ method }) => method)
  const message = `Use ${methods.join(" or ")} here.`
  return { code: "method_not_allowed", message, allow: methods.join(", ") }
}

/** Names the key that signs, or that a policy of reads is for. */
export const keyHeader = "countersign-key"

/** What a call that carries a body for the venue may say to us. */
export const callHeaders = [keyHeader, "countersign-expires-in"]

/** What a call that is to be signed may say besides. */
export const idempotencyHeader = "idempotency-key"

/** The record of an earlier check that it is to be signed by. */
export const checkHeader = "countersign-check"

/** What a check may say besides. */
export const shadowHeader = "countersign-shadow"

/** Refuses a header of ours that the route wouldn't act on: ignoring it could double an order. */
export function admitOwnHeaders(request: IncomingMessage, known: readonly string[]): Admission {
  const own = headerNames(request).filter(
    (name) => name.startsWith("countersign-") || name === idempotencyHeader,
  )
  const unknown = own.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    return invalidHeader(unknown, `The header ${unknown} isn't supported here; leave it out.`)
  }
  const repeated = own.find((name, index) => own.indexOf(name) !== index)
  if (repeated !== undefined) return invalidHeader(repeated, `Send the header ${repeated} once.`)
  return undefined
}

const jsonType = /^application\/json[ \t]*(?:;[ \t]*charset=(?:utf-8|"utf-8")[ \t]*)?$/i

/** Refuses a body that isn't declared as plain JSON. A page can't send that type without asking first. */
export function admitMedia(request: IncomingMessage): Admission {
  const types = headerValues(request, "content-type")
  const isJson = types.length === 1 && jsonType.test(types[0] ?? "")
  if (isJson && headerValues(request, "content-encoding").length === 0) return undefined
  return {
    code: "unsupported_media_type",
    message: "Send Content-Type: application/json (UTF-8) and no Content-Encoding.",
  }
}

/** Refuses a body that is declared too long, before any of it is read. */
export function admitLength(request: IncomingMessage, maxBytes: number): Admission {
  const [length = "0"] = headerValues(request, "content-length")
  return Number(length) > maxBytes ? bodyTooLarge(maxBytes) : undefined
}

/** The problem of a body over `maxBytes`. */
export function bodyTooLarge(maxBytes: number): Problem {
  return { code: "body_too_large", message: `Send at most ${maxBytes} bytes.` }
}

// The vault decides whether a token is good; what can't be one doesn't reach it.
const bearer = /^Bearer (cs_[A-Za-z0-9_-]{32,125})$/i

/** The bearer token, or `undefined` when there isn't exactly one of the right shape. */
export function parseToken(request: IncomingMessage): string | undefined {
  const values = headerValues(request, "authorization")
  return values.length === 1 ? bearer.exec(values[0] ?? "")?.[1] : undefined
}

/** The problem of a request without a token that a client could have. */
export function tokenProblem(request: IncomingMessage): Problem {
  const isSent = headerValues(request, "authorization").length > 0
  return isSent ? tokenMisshapen : tokenMissing
}

const tokenMissing: Problem = {
  code: "unauthorized",
  message: "Send your token as `Authorization: Bearer cs_…`.",
}

const tokenMisshapen: Problem = {
  code: "unauthorized",
  message:
    "Authorization holds no token of Countersign's; send the one that countersign clients add printed, once, as `Bearer cs_…`.",
}

/**
 * Every value of a header, by its lower-case name, in the order sent. Node's `headers` drops a second Host or
 * Authorization, and its `headersDistinct` throws in some versions on a name like `constructor`.
 */
export function headerValues(request: IncomingMessage, name: string): readonly string[] {
  const { rawHeaders } = request
  const values: string[] = []
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index]
    if (sent?.length !== name.length || sent.toLowerCase() !== name) continue
    values.push(rawHeaders[index + 1] ?? "")
  }
  return values
}

/** The lower-case names of all headers, repeated ones as often as they came. */
function headerNames(request: IncomingMessage): readonly string[] {
  return request.rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
}
