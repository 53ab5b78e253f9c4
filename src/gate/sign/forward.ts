import type { BotResults } from "../../link/calls/methods.ts"
import type { VenueClockReading } from "../../link/calls/gate-methods.ts"
import type { BotLink } from "../../contract/client.ts"
import type { Outcome } from "../../link/calls/both-ways.ts"
import type { Signed } from "../../contract/signed.ts"
import type { Refusal } from "../../contract/refusal.ts"
import { Fault } from "../../std/fault.ts"
import type { GateMetrics } from "../http/metrics.ts"
import { refusedByVault, type Problem } from "../http/problem.ts"
import type { Call } from "../http/read-call.ts"
import { asRepeat, refusedReply, withRateLimits, type Reply } from "../http/reply.ts"
import { openPlaces, reducesRisk, type OwnerOf } from "../http/shares.ts"
import type { GateLimits } from "../process/gate-limits.ts"
import { causeFields, errorFields, type Log, sendChannel } from "../process/log.ts"
import { type Sent, outcomeOf } from "../upstream/exchange.ts"
import { hasVenue, venueFor, type Venues } from "../upstream/venues.ts"
import {
  keptAnswerOf,
  repeatedAnswer,
  type Sending,
  type SharedSends,
  askSignature,
  isInTime,
  type SignatureDependencies,
} from "./sign.ts"

export type ForwardDependencies = SignatureDependencies &
  Venues & {
    readonly link: BotLink
    readonly sends: SharedSends
    readonly log: Log
    readonly metrics: GateMetrics
    /** Milliseconds that only run on. How long a body is good the vault says; no wall clock is asked. */
    readonly clock: () => number
    /** Keeps the process from stopping before `work` is done. */
    readonly track: (work: Promise<unknown>) => void
  }

/**
 * Makes `POST /v1/…`, with as many at work as there are connections to the venue for them: what is signed is sent at
 * once. What reduces risk has its own bound, and connections of its own.
 */
export function forwarder({
  limits: { maxForwards },
  ownerOf,
}: {
  readonly limits: Pick<GateLimits, "maxForwards">
  readonly ownerOf: OwnerOf
}): typeof forward {
  const places = openPlaces(maxForwards)
  return async (deps, call) => {
    if (reducesRisk(call.ask.path)) return forward(deps, call)
    const leave = places.take(ownerOf(call.ask.token))
    if (leave === undefined) return { kind: "problem", problem: overloaded }
    return forward(deps, call).finally(leave)
  }
}

const overloaded: Problem = {
  code: "overloaded",
  message: "Too many requests are on their way to the venue; try again in a moment.",
}

/**
 * Has a call signed, sends it to the venue once, and tells the vault what became of it. A repeat of an
 * idempotency key sends the same bytes again, unless an answer is known or on its way.
 *
 * It goes on to its end even if the bot hangs up: what is signed counts, so its outcome must be known.
 */
async function forward(deps: ForwardDependencies, call: Call): Promise<Reply> {
  if (!hasVenue(deps, call.ask.token)) return { kind: "problem", problem: baseUrlMissing }
  const { signed, reply } = await askAndSend(deps, call)
  return withRateLimits(await reply, signed)
}

/** What the vault answered, and the send that it leads to, begun. */
async function askAndSend(deps: ForwardDependencies, call: Call) {
  const end = deps.sends.begin()
  try {
    const signed = await askSignature(deps, call, "forward")
    return { signed, reply: replyTo(deps, signed, call) }
  } finally {
    end()
  }
}

async function replyTo(
  deps: ForwardDependencies,
  signed: BotResults["sign"],
  call: Call,
): Promise<Reply> {
  const { ask, traceparent } = call
  if (signed.kind === "refused") return refusedReply(signed)
  if (signed.kind === "answered") return repeatedAnswer(signed)
  const askAgain = () => askSignature(deps, call, "forward")
  const by = { token: ask.token, traceparent, askAgain }
  const send = () => sendSigned(deps, signed, by)
  if (signed.repeat === undefined) return (await send()).reply
  const reply = await deps.sends.share(signed.record, send)
  return signed.repeat === "first" ? reply : asRepeat(reply)
}

async function sendSigned(
  deps: ForwardDependencies,
  signed: Signed,
  by: {
    readonly token: string
    readonly traceparent: string | undefined
    readonly askAgain: () => Promise<BotResults["sign"]>
  },
): Promise<Sending> {
  const { record, path, body, repeat } = signed
  const report = reporter(deps, by.token, record)
  const untilMs = deps.clock() + signed.goodForMs
  const upstream = await venueFor(deps, by.token, signed)
  const isLate = (): boolean => deps.clock() >= untilMs || !isInTime(signed)
  // So far nothing left, so a refusal will be of the only send. A crash must not let the next one look
  // like that too: what may leave now is durable before it does.
  const isAnnounced = repeat === "unsent" && !isLate()
  if (isAnnounced) await announce(deps, by.token, record)
  const startedMs = performance.now()
  const sent: Sent = isLate()
    ? { kind: "unsent", cause: "late" }
    : await upstream.send({
        path,
        body,
        traceparent: by.traceparent,
        maySend() {
          if (isLate()) return false
          if (!isAnnounced) void report({ kind: "sent" })
          return true
        },
      })
  sendChannel.publish({ stage: "sent" })
  const outcome = reportOf(sent, signed, isAnnounced)
  const told = report(outcome, sent.kind === "answered" ? sent.venueClock : undefined)
  deps.metrics.sent(outcome, record)
  if (sent.kind === "answered") {
    deps.metrics.waited("venue", startedMs)
    return replyOf(sent, signed, { heard: told, askAgain: by.askAgain })
  }
  deps.log({ level: "warn", event: sent.kind, record, ...causeFields(sent.cause) })
  return problem(problemOfSent(sent, signed, isLate() ? undefined : upstream.address))
}

async function announce(
  { link, log }: ForwardDependencies,
  token: string,
  record: string,
): Promise<void> {
  try {
    const answer = await link.call("report", { token, record, outcome: { kind: "sent" } })
    if (answer.kind === "answer") return
  } catch (error) {
    log({ level: "error", event: "report_lost", record, ...errorFields(error) })
    throw error
  }
  throw new Fault("internal", "The vault took no word of a record.")
}

/** What a send means for the record of what was signed. */
function reportOf(sent: Sent, { repeat }: Signed, isAnnounced: boolean): Outcome {
  const outcome = outcomeOfSent(sent)
  if (outcome.kind === "unsent" && isAnnounced) return { ...outcome, withdrawn: true }
  if (sent.kind !== "answered" || repeat === undefined) return outcome
  if (outcome.kind !== "accepted" && outcome.kind !== "refused") return outcome
  if (isRefusedAgain(outcome, repeat)) return { ...outcome, again: true }
  return { ...outcome, answer: keptAnswerOf(sent.answer) }
}

/** The bytes may have been sent before, and the venue takes them once: a refusal now says nothing of then. */
function isRefusedAgain({ kind }: Outcome, repeat: Signed["repeat"]): boolean {
  return kind === "refused" && repeat === "perhaps_sent"
}

/**
 * The refusal that says what was accepted, where the vault takes the venue's code for a proof of that. It tells once
 * it has heard of the code; where it can't be asked, the doubt stays.
 */
async function proofOf(
  heard: Promise<void>,
  askAgain: () => Promise<BotResults["sign"]>,
): Promise<Refusal | undefined> {
  await heard
  const again = await askAgain().catch(() => undefined)
  const refusal = again?.kind === "refused" ? again.refusal : undefined
  return refusal?.code === "already_accepted" ? refusal : undefined
}

async function replyOf(
  { answer }: Extract<Sent, { kind: "answered" }>,
  signed: Signed,
  {
    heard,
    askAgain,
  }: {
    readonly heard: Promise<void>
    readonly askAgain: () => Promise<BotResults["sign"]>
  },
): Promise<Sending> {
  const { record, expiresAfter, repeat } = signed
  const outcome = outcomeOf(answer)
  if (!isRefusedAgain(outcome, repeat)) {
    const reply: Reply = { kind: "venue", answer, record }
    return outcome.kind === "unknown" ? { reply } : { reply, heard }
  }
  const proof = await proofOf(heard, askAgain)
  if (proof !== undefined) return problem(refusedByVault({ refusal: proof, record }))
  const venue = { status: answer.status, code: "code" in outcome ? outcome.code : null }
  return problem({
    code: "upstream_outcome_unknown",
    message:
      "The venue refused the request when it was sent again, which doesn't tell what became of it before; look there before you send it anew.",
    data: { record, expires_after: expiresAfter, venue },
    record,
  })
}

function problem(of: Problem): Sending {
  return { reply: { kind: "problem", problem: of } }
}

/** Reports, and needs nobody to wait for that; the one connection keeps the order in which it is called. */
function reporter(
  deps: ForwardDependencies,
  token: string,
  record: string,
): (outcome: Outcome, venueClock?: VenueClockReading) => Promise<void> {
  const lost = (error: unknown): void =>
    deps.log({ level: "error", event: "report_lost", record, ...errorFields(error) })
  return (outcome, venueClock) => {
    const told = deps.link.call("report", { token, record, outcome, venueClock }).then((answer) => {
      if (answer.kind === "refused") {
        deps.log({ level: "error", event: "report_refused", record, code: answer.refusal.code })
      }
    }, lost)
    deps.track(told)
    return told
  }
}

/** What a send means for the record. */
export function outcomeOfSent(sent: Sent): Outcome {
  switch (sent.kind) {
    case "answered":
      return outcomeOf(sent.answer)
    case "unsent":
      return { kind: "unsent" }
    case "unknown":
      return { kind: "unknown", status: sent.status }
  }
}

function problemOfSent(
  sent: Exclude<Sent, { readonly kind: "answered" }>,
  { record, expiresAfter }: Signed,
  /** Where the venue wasn't reached; `undefined` where it was too late to try. */
  address: string | undefined,
): Problem {
  const data = { record, expires_after: expiresAfter }
  if (sent.kind === "unknown") {
    return {
      code: "upstream_outcome_unknown",
      message: "The request may have reached the venue; look there before you send it anew.",
      data,
      record,
    }
  }
  return address === undefined
    ? {
        code: "too_late",
        message: "The request expired before it was sent; send a new one.",
        data,
        record,
      }
    : {
        code: "upstream_unreachable",
        message: `The venue couldn't be reached at ${address}, so nothing was sent; send a new request.`,
        data,
        record,
      }
}

const baseUrlMissing: Problem = {
  code: "base_url_missing",
  message:
    "No venue is configured; add base_url to venue.yaml, or call /sign and send it yourself.",
  data: { add_line: "base_url: https://…" },
}
