import * as z from "zod"

import type { BotLink } from "../../contract/client.ts"
import type { Signed, Answered } from "../../contract/signed.ts"
import { maxKeptAnswerBytes, type KeptAnswer } from "../../link/calls/both-ways.ts"
import type { BotParams, BotResults } from "../../link/calls/methods.ts"
import { passedSince } from "../../std/time/moment.ts"
import type { GateMetrics } from "../http/metrics.ts"
import { type Problem, refusedByVault, retryAfterSeconds, statuses } from "../http/problem.ts"
import type { Call } from "../http/read-call.ts"
import {
  problemEnvelope,
  refusedReply,
  type Reply,
  withRateLimits,
  type VenueAnswer,
} from "../http/reply.ts"
import { openPlaces, type OwnerOf } from "../http/shares.ts"
import type { GateLimits } from "../process/gate-limits.ts"

/** `/sign`: the signed body itself. */
export async function sign(deps: SignatureDependencies, call: Call): Promise<Reply> {
  const signed = await askSignature(deps, call, "return")
  return withRateLimits(signatureReply(signed), signed)
}

function signatureReply(signed: BotResults["sign"]): Reply {
  if (signed.kind === "refused") return refusedReply(signed)
  if (signed.kind === "answered") return repeatedAnswer(signed)
  if (!isInTime(signed)) return { kind: "problem", problem: heldTooLong(signed) }
  const { body, record, repeat = "first" } = signed
  return { kind: "signed", body, record, isRepeat: repeat !== "first" }
}

export type SignatureDependencies = {
  readonly link: BotLink
  readonly metrics: Pick<GateMetrics, "waited">
  /** Hears of each request that was signed. */
  readonly signed: (ask: BotParams["check"]) => void
}

/** Has the vault sign a call, or say why it doesn't. */
export async function askSignature(
  { link, metrics, ...deps }: SignatureDependencies,
  { ask, traceparent }: Call,
  purpose: BotParams["sign"]["purpose"],
): Promise<BotResults["sign"]> {
  const askedMs = performance.now()
  const signed = await link.call("sign", { ...ask, traceparent, purpose })
  metrics.waited("vault", askedMs)
  if (signed.kind === "answer") deps.signed(ask)
  return signed
}

/**
 * Whether it may be handed on. A vault that stood still between its own look at the time and its answer gives that late,
 * when other hosts count on nothing of it any more.
 */
export function isInTime({ outBy }: Pick<Signed, "outBy">): boolean {
  return outBy === undefined || passedSince(outBy) <= 0
}

/** What a bot is told instead. */
function heldTooLong({ record }: Pick<Signed, "record">): Problem {
  return {
    code: "ledger_unavailable",
    message:
      "This was signed and took too long to come out, so it isn't given out; ask again, with the same idempotency key if there is one.",
    record,
  }
}

/** Makes `/sign/batch`, with a bound of its own: each keeps the vault as busy as all of its requests would alone. */
export function batchSigner({
  limits: { maxBatches },
  ownerOf,
}: {
  readonly limits: Pick<GateLimits, "maxBatches">
  readonly ownerOf: OwnerOf
}) {
  const places = openPlaces(maxBatches)
  return async (
    { link }: { readonly link: BotLink },
    { token, body }: Pick<BotParams["check"], "token" | "body">,
  ): Promise<Reply> => {
    const leave = places.take(ownerOf(token))
    if (leave === undefined) return { kind: "problem", problem: overloaded }
    try {
      return replyOf(await link.call("signBatch", { token, body }))
    } finally {
      leave()
    }
  }
}

function replyOf(signed: BotResults["signBatch"]): Reply {
  if (signed.kind === "answer") {
    return { kind: "success", content: { results: signed.results.map(resultOf) } }
  }
  return refusedReply(signed)
}

type Answer = Extract<BotResults["signBatch"], { readonly kind: "answer" }>["results"][number]

function resultOf(answer: Answer): BatchResult {
  if (answer.kind === "refused") return refusedResult(refusedByVault(answer), answer)
  if (!isInTime(answer)) return refusedResult(heldTooLong(answer), answer)
  const { record, body, expiresAfter, repeat = "first" } = answer
  return {
    status: 200,
    record,
    repeat: repeat !== "first",
    expires_after: expiresAfter,
    retry_after: null,
    body,
    error: null,
  }
}

function refusedResult(problem: Problem, { record }: Answer): BatchResult {
  return {
    status: statuses[problem.code],
    record,
    repeat: false,
    expires_after: null,
    retry_after: retryAfterSeconds(problem.code, problem.data) ?? null,
    body: null,
    error: problemEnvelope(problem),
  }
}

const overloaded: Problem = {
  code: "overloaded",
  message: "Too many batches are at work; try again in a moment.",
}

/** The envelope of a refusal; docs/openapi.json has one for each code. */
export const refusedEnvelope = z
  .strictObject({
    code: z.string(),
    msg: z.string(),
    data: z.custom<object>(),
    do: z.string(),
    trace_code: z.string(),
  })
  .readonly()

/** What `/sign` would answer to one request of a batch, its headers as members. Each is always there. */
export const batchResultSchema = z
  .strictObject({
    status: z.int().describe("What the HTTP status would be: 200 where it was signed."),
    record: z.string().nullable().describe("`Countersign-Record`."),
    repeat: z.boolean().describe("`Countersign-Repeat`."),
    expires_after: z.int().nullable().describe("Of the signature, in milliseconds."),
    retry_after: z.int().nullable().describe("`Retry-After`, in seconds."),
    body: z
      .string()
      .nullable()
      .describe(
        "The signed body as text, since not a byte of it may change on its way to the venue.",
      ),
    error: refusedEnvelope.nullable(),
  })
  .readonly()
type BatchResult = z.infer<typeof batchResultSchema>

/** Sends that repeats of the same request may be waiting for, by record. */
export type SharedSends = {
  /** Before the vault is asked for a signature. To be called once what it answered was shared, or came to nothing. */
  readonly begin: () => () => void
  /** The reply of a send of `record` that is under way or isn't forgotten yet; else that of `send`. */
  share(record: string, send: () => Promise<Sending>): Promise<Reply>
}

export type Sending = {
  readonly reply: Reply
  /** Where the venue told what became of the request: until the vault has heard of it. */
  readonly heard?: Promise<void>
}

/**
 * Starts with none. What the venue told of a request is shared until the vault has heard of it, and all that it was
 * asked before has been answered: a repeat of which it thought that it may be sent again must not be, for what was
 * refused may have been given its room back by then. After any other reply the request may be sent again, so that
 * is shared by those alone that waited for it.
 */
export function createSharedSends(): SharedSends {
  const kept = new Map<string, Promise<Reply>>()
  const asks = openAsks()
  const keep = (record: string, { reply, heard }: Sending): Reply => {
    const forget = (): boolean => kept.delete(record)
    if (heard === undefined) forget()
    else void heard.then(() => asks.whenOver(forget))
    return reply
  }
  return {
    begin: asks.begin,
    share(record, send) {
      const earlier = kept.get(record)
      if (earlier !== undefined) return earlier
      const reply = send().then(
        (sending) => keep(record, sending),
        (error: unknown) => {
          kept.delete(record)
          throw error
        },
      )
      kept.set(record, reply)
      return reply
    },
  }
}

/** What the vault is being asked, and what waits until it has answered. */
function openAsks() {
  /** By number, the oldest first. */
  const underWay = new Set<number>()
  const waiting: { readonly lastAsk: number; readonly run: () => void }[] = []
  let lastAsk = 0

  const runWaiting = (): void => {
    const [oldest = Infinity] = underWay
    for (let [next] = waiting; next !== undefined && next.lastAsk < oldest; [next] = waiting) {
      waiting.shift()
      next.run()
    }
  }
  return {
    begin: (): (() => void) => {
      const ask = ++lastAsk
      underWay.add(ask)
      return () => {
        underWay.delete(ask)
        runWaiting()
      }
    },
    /** Runs it once all that is under way now is over. */
    whenOver(run: () => void): void {
      waiting.push({ lastAsk, run })
      runWaiting()
    },
  }
}

/** An answer as the vault keeps it; `undefined` when it is too long for that. */
export function keptAnswerOf({ headers, body }: VenueAnswer): KeptAnswer | undefined {
  const { "content-type": type, "content-encoding": encoding } = headers
  const isShort = (type ?? "").length <= 256 && (encoding ?? "").length <= 64
  if (!isShort || body.length > maxKeptAnswerBytes) return undefined
  return {
    body: body.toString("base64"),
    ...(type !== undefined && { type }),
    ...(encoding !== undefined && { encoding }),
  }
}

/** The answer that the vault kept, given once more. */
export function repeatedAnswer({ record, answer }: Answered): Reply {
  const { status, body, type, encoding } = answer
  const headers = {
    ...(type !== undefined && { "content-type": type }),
    ...(encoding !== undefined && { "content-encoding": encoding }),
  }
  const given = { status, headers, body: Buffer.from(body, "base64") }
  return { kind: "venue", answer: given, record, isRepeat: true }
}
