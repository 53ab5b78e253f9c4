import type { IncomingMessage, ServerResponse } from "node:http"

import type { BotParams } from "../../link/calls/methods.ts"
import { nearestWord } from "../../std/nearest-word.ts"
import { err, ok, type Result } from "../../std/result.ts"
import type { GateLimits } from "../process/gate-limits.ts"
import {
  admitLength,
  admitMedia,
  bodyTooLarge,
  checkHeader,
  idempotencyHeader,
  keyHeader,
  parseToken,
  shadowHeader,
  tokenProblem,
  headerValues,
} from "./admit.ts"
import { invalidHeader, type Problem } from "./problem.ts"
import type { Reply } from "./reply.ts"

export type Call = {
  readonly ask: BotParams["check"]
  /** For the venue, if it is well formed. */
  readonly traceparent: string | undefined
}

/** The longest path that link/calls/methods.ts takes. */
export const maxPathLength = 256
/** The bounds that it sets for headers, so that nothing over them crosses. */
const maxKeyLength = 64
const maxExpiresInLength = 32

/**
 * Reads a call that carries a body for the venue's `path`. Its body is read last, and only for who
 * brought a token. `gone`: the client left, and nobody waits for an answer.
 */
async function readCall(
  request: IncomingMessage,
  path: string,
  limits: GateLimits,
): Promise<Result<Call, Problem | "gone">> {
  const problem = admitMedia(request) ?? admitLength(request, limits.maxBodyBytes)
  if (problem !== undefined) return err(problem)
  const head = parseHead(request, path)
  if (!head.ok) return head
  const names = parseNames(request)
  if (!names.ok) return names
  const body = await readBody(request, limits.maxBodyBytes)
  if (body === "too_large") return err(bodyTooLarge(limits.maxBodyBytes))
  if (body === "gone") return err(body)
  return ok({
    ask: { ...head.value, body: body.toString("base64"), ...names.value },
    traceparent: parseTraceparent(request),
  })
}

function parseHead(
  request: IncomingMessage,
  path: string,
): Result<Omit<Call["ask"], "body">, Problem> {
  const token = parseToken(request)
  if (token === undefined) return err(tokenProblem(request))
  if (path.length > maxPathLength) return err(unknownEndpoint(path))
  const own = parseOwnHeaders(request)
  return own.ok ? ok({ token, path, ...own.value }) : own
}

function parseOwnHeaders(
  request: IncomingMessage,
): Result<Pick<Call["ask"], "key" | "expiresIn" | "shadow">, Problem> {
  const named = parseKey(request)
  if (!named.ok) return named
  const key = named.value
  const [expiresIn] = headerValues(request, "countersign-expires-in")
  if (expiresIn !== undefined && expiresIn.length > maxExpiresInLength) {
    return err(tooLong("countersign-expires-in", maxExpiresInLength))
  }
  const [shadow] = headerValues(request, shadowHeader)
  if (shadow === undefined) return ok({ key, expiresIn })
  if (shadow === "1") return ok({ key, expiresIn, shadow: true })
  return err(invalidHeader(shadowHeader, `Send ${shadowHeader}: 1, or leave the header out.`))
}

/** `Countersign-Key`. */
export function parseKey(request: IncomingMessage): Result<string | undefined, Problem> {
  const [key] = headerValues(request, keyHeader)
  if (key === undefined || key.length <= maxKeyLength) return ok(key)
  return err(tooLong(keyHeader, maxKeyLength))
}

const visibleAscii = /^[\x21-\x7e]{1,64}$/

/** What a request is known by when it comes again: a check that is recorded is none, and one that is named is enough. */
function parseNames(
  request: IncomingMessage,
): Result<Pick<Call["ask"], "idempotencyKey" | "check">, Problem> {
  const [idempotencyKey] = headerValues(request, idempotencyHeader)
  const [check] = headerValues(request, checkHeader)
  if (check === undefined) {
    if (idempotencyKey === undefined || visibleAscii.test(idempotencyKey)) {
      return ok({ idempotencyKey })
    }
    const message = "Idempotency-Key must be 1 to 64 visible characters of ASCII, without spaces."
    return err(invalidHeader(idempotencyHeader, message))
  }
  for (const header of [idempotencyHeader, shadowHeader]) {
    if (headerValues(request, header).length === 0) continue
    return err(invalidHeader(header, `Send ${checkHeader} without ${header}.`))
  }
  if (visibleAscii.test(check)) return ok({ check })
  const message = `${checkHeader} must be the id of a recorded check, from Countersign-Record.`
  return err(invalidHeader(checkHeader, message))
}

/** The problem of a path that nothing is served under; `served` are those that something is. */
export function unknownEndpoint(path: string, served: readonly string[] = []): Problem {
  const nearest = nearestWord(path.split("?")[0] ?? "", served)
  const hint = nearest === undefined ? "" : `did you mean ${nearest}? `
  return {
    code: "unknown_endpoint",
    message: `Nothing is served under this path; ${hint}GET /openapi.json lists what is.`,
    data: { path: path.slice(0, maxPathLength) },
  }
}

function tooLong(header: string, maxChars: number): Problem {
  return invalidHeader(header, `Send at most ${maxChars} characters in ${header}.`)
}

// W3C Trace Context §3.2: version ff and ids of zeros are invalid.
const wellFormedTrace =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/** The trace that the venue is told of, if it is well formed. */
export function parseTraceparent(request: IncomingMessage): string | undefined {
  const values = headerValues(request, "traceparent")
  return values.length === 1 && wellFormedTrace.test(values[0] ?? "") ? values[0] : undefined
}

/**
 * Reads the whole body: `too_large` as soon as it exceeds `maxBytes`, `gone` when the client leaves.
 *
 * What is left of a body that is too large is received and thrown away, so that the client can read
 * its answer; the server's request timeout bounds it.
 */
function readBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<Buffer | "too_large" | "gone"> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let receivedBytes = 0

    function finish(result: Buffer | "too_large" | "gone"): void {
      request.off("data", take)
      request.resume()
      resolve(result)
    }

    function take(chunk: Buffer): void {
      receivedBytes += chunk.length
      chunks.push(chunk)
      if (receivedBytes > maxBytes) finish("too_large")
    }

    request.on("data", take)
    request.once("end", () => finish(Buffer.concat(chunks)))
    request.once("error", () => finish("gone"))
    request.once("close", () => finish("gone"))
  })
}

export type Route = {
  readonly method: "GET" | "POST"
  readonly path: string
  /** Headers of ours that it acts on. */
  readonly ownHeaders: readonly string[]
}

/** `gone`: who asked hung up, or has to be cut off. `written`: the whole answer is in the response already. */
export type Answer = (
  request: IncomingMessage,
  response: ServerResponse,
) => Promise<Reply | "gone" | "written">

export type RouteWithAnswer = Route & { readonly answer: Answer }

/** A route that reads. */
export function get(
  path: string,
  answer: Answer,
  ownHeaders: readonly string[] = [],
): RouteWithAnswer {
  return { method: "GET", path, ownHeaders, answer }
}

/** A route that takes a body. */
export function post(path: string, ownHeaders: readonly string[], answer: Answer): RouteWithAnswer {
  return { method: "POST", path, ownHeaders, answer }
}

/** Reads token and body. The venue's path is what follows `prefix`, exactly as it came: nothing here decodes it. */
export function withCall<Deps extends { readonly limits: GateLimits }>(
  deps: Deps,
  prefix: string,
  answer: (deps: Deps, call: Call) => Promise<Reply>,
): Answer {
  return async (request) => {
    const call = await readCall(request, urlOf(request).slice(prefix.length), deps.limits)
    if (call.ok) return answer(deps, call.value)
    return call.error === "gone" ? "gone" : { kind: "problem", problem: call.error }
  }
}

/** Reads token and body of a call that isn't for one path of the venue. */
export function withBody<Deps extends { readonly limits: GateLimits }>(
  deps: Deps,
  answer: (deps: Deps, ask: Call["ask"]) => Promise<Reply>,
): Answer {
  return withCall(deps, "", (_, { ask }) => answer(deps, ask))
}

/** Reads the token. */
export function withToken<Deps>(
  deps: Deps,
  answer: (deps: Deps, token: string, url: string) => Promise<Reply>,
): Answer {
  return (request) => {
    const token = parseToken(request)
    return token === undefined
      ? Promise.resolve({ kind: "problem", problem: tokenProblem(request) })
      : answer(deps, token, urlOf(request))
  }
}

/** Its target, as it came. */
function urlOf({ url = "" }: IncomingMessage): string {
  return url
}
