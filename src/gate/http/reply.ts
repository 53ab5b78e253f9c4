import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from "node:http"
import { Socket } from "node:net"

import helmet from "helmet"

import type { RateLimit } from "../../contract/signed.ts"
import type { Refused } from "../../contract/refusal.ts"
import { actOf, type Problem, refusedByVault, retryAfterSeconds, statuses } from "./problem.ts"

/** What a route answers, before it becomes HTTP. */
export type Reply = ReplyItself & {
  /** How the client's rate budgets stand, where the call spends them. */
  readonly rateLimits?: readonly RateLimit[]
}

type ReplyItself =
  | { readonly kind: "problem"; readonly problem: Problem; readonly isRepeat?: true }
  /** Goes out as it is, without an envelope. */
  | {
      readonly kind: "text"
      readonly type: string
      readonly text: string
      readonly record?: never
      readonly isRepeat?: true
    }
  /** Goes out as the `data` of a success envelope. */
  | { readonly kind: "success"; readonly content: object; readonly record?: string }
  | {
      readonly kind: "signed"
      readonly body: string
      readonly record: string
      readonly isRepeat?: boolean
    }
  | {
      readonly kind: "venue"
      readonly answer: VenueAnswer
      /** A read has none. */
      readonly record?: string
      readonly isRepeat?: true
    }

/** The venue's answer as it came. */
export type VenueAnswer = {
  readonly status: number
  /** Of its headers only those that say how to read the body and when to come back. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** A reply as HTTP has it. {@link headersOf} has the headers that go with it besides. */
type HttpAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer
}

/** The venue's envelope, which the daemon's own answers have too. */
type Envelope = {
  readonly code: string
  readonly msg: string
  readonly data: object
  readonly trace_code: string
}

/** The code of a success, the venue's and the daemon's own. */
export const successCode = "0"

const json = { "Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store" }

/** What goes with everything that the daemon says itself. */
const fromDaemon = { ...json, "Countersign-Source": "daemon" }

/** What goes with everything that the venue says. */
export const fromVenue = { "Cache-Control": "no-store", "Countersign-Source": "venue" }

/** The vault's no. */
export function refusedReply(refused: Omit<Refused, "kind">) {
  return { kind: "problem", problem: refusedByVault(refused) } as const
}

/** A reply to a request that was signed before under the same idempotency key. */
export function asRepeat(reply: Reply): Reply {
  return reply.kind === "success" ? reply : { ...reply, isRepeat: true }
}

/** A reply with what the vault told of the client's rate budgets. */
export function withRateLimits(reply: Reply, { rateLimits }: Pick<Reply, "rateLimits">): Reply {
  return rateLimits === undefined ? reply : { ...reply, rateLimits }
}

/** Turns a reply into status, headers and body. */
export function httpAnswer(reply: Reply): HttpAnswer {
  const plain = plainAnswer(reply)
  const answer = { ...plain, headers: { ...plain.headers, ...rateLimitHeaders(reply.rateLimits) } }
  if (reply.kind === "success" || reply.isRepeat !== true) return answer
  return { ...answer, headers: { ...answer.headers, "Countersign-Repeat": "1" } }
}

function plainAnswer(reply: Reply): HttpAnswer {
  switch (reply.kind) {
    case "problem":
      return problemAnswer(reply.problem)
    case "success":
      return recorded(
        daemonAnswer(200, JSON.stringify(successEnvelope(reply.content))),
        reply.record,
      )
    case "text":
      return {
        status: 200,
        headers: { ...fromDaemon, "Content-Type": reply.type },
        body: reply.text,
      }
    case "signed":
      return recorded(daemonAnswer(200, reply.body), reply.record)
    case "venue":
      return recorded(
        { ...reply.answer, headers: { ...reply.answer.headers, ...fromVenue } },
        reply.record,
      )
  }
}

function recorded(answer: HttpAnswer, record: string | undefined): HttpAnswer {
  if (record === undefined) return answer
  return { ...answer, headers: { ...answer.headers, "Countersign-Record": record } }
}

/** Writes `answer` as the whole response. */
export function sendAnswer(response: ServerResponse, answer: HttpAnswer): void {
  response.writeHead(answer.status, headersOf(answer))
  response.end(answer.body)
}

/** The headers of an answer, with its length and what goes with everything that the gate says. */
export function headersOf({ headers, body }: HttpAnswer): OutgoingHttpHeaders {
  return { ...pagelessHeaders, ...headers, "Content-Length": Buffer.byteLength(body) }
}

/**
 * Bots are served no pages: nothing may load or frame what we answer. TLS, where there is any, isn't ours. These are
 * the same for every answer, so helmet is asked once.
 */
export const pagelessHeaders: Readonly<Record<string, string>> = headersBy(
  helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    strictTransportSecurity: false,
  }),
)

function headersBy(setHeaders: ReturnType<typeof helmet>): Readonly<Record<string, string>> {
  const response = new ServerResponse(new IncomingMessage(new Socket()))
  setHeaders(response.req, response, () => undefined)
  return response.getHeaders() as Readonly<Record<string, string>> // helmet sets texts alone
}

function problemAnswer(problem: Problem): HttpAnswer {
  const { code, data, record, allow } = problem
  const retryAfter = retryAfterSeconds(code, data)
  return {
    status: statuses[code],
    headers: {
      ...fromDaemon,
      ...(record !== undefined && { "Countersign-Record": record }),
      ...(allow !== undefined && { Allow: allow }),
      ...(retryAfter !== undefined && { "Retry-After": String(retryAfter) }),
      ...(statuses[code] === 401 && { "WWW-Authenticate": "Bearer" }),
    },
    body: JSON.stringify(problemEnvelope(problem)),
  }
}

/** A problem in the venue's envelope. The daemon's trace is the record. */
export function problemEnvelope({ code, message, data, record }: Problem) {
  return { code, msg: message, data: data ?? {}, do: actOf(code, data), trace_code: record ?? "" }
}

function daemonAnswer(status: number, body: string): HttpAnswer {
  return { status, headers: fromDaemon, body }
}

function successEnvelope(content: object): Envelope {
  return { code: successCode, msg: "", data: content, trace_code: "" }
}

/** The interface's "Limits": budgets are of a rolling minute. */
const windowSeconds = 60

/**
 * How much of the venue's rate budgets is left, in the fields of draft-ietf-httpapi-ratelimit-headers: `r` is what may
 * be sent now, `t` in how many seconds the oldest of what is used stops counting.
 */
function rateLimitHeaders(limits: readonly RateLimit[] = []): Readonly<Record<string, string>> {
  if (limits.length === 0) return {}
  const policies = limits.map(({ scope, max }) => `"${scope}";q=${max};w=${windowSeconds}`)
  const stands = limits.map(({ scope, left, freesInMs }) => {
    const frees = freesInMs === null ? "" : `;t=${Math.ceil(freesInMs / 1_000)}`
    return `"${scope}";r=${left}${frees}`
  })
  return { "RateLimit-Policy": policies.join(", "), RateLimit: stands.join(", ") }
}
