import type { BotLink } from "../link/client.ts"
import type { BotResults, Outcome } from "../link/methods.ts"
import { errorFields, type Log } from "./log.ts"
import { outcomeOf } from "./outcome.ts"
import { refusedByVault, type Problem } from "./problem.ts"
import type { Call } from "./read-call.ts"
import type { Reply } from "./reply.ts"
import type { Sent, Upstream } from "./upstream.ts"

export type ForwardDependencies = {
  readonly link: BotLink
  /** `undefined` when no `base_url` is configured. */
  readonly upstream: Upstream | undefined
  readonly log: Log
  readonly clock: () => number
  /** Keeps the process from stopping before `work` is done. */
  readonly track: (work: Promise<unknown>) => void
}

type Signed = Extract<BotResults["sign"], { readonly kind: "answer" }>

/**
 * Has a call signed, sends it to the venue once, and tells the vault what became of it.
 *
 * It goes on to its end even if the bot hangs up: what is signed counts, so its outcome must be known.
 */
export async function forward(deps: ForwardDependencies, call: Call): Promise<Reply> {
  const { upstream } = deps
  if (upstream === undefined) return { kind: "problem", problem: baseUrlMissing }
  const { ask, traceparent } = call
  const signed = await deps.link.call("sign", { ...ask, purpose: "forward" })
  if (signed.kind === "refused") {
    return { kind: "problem", problem: refusedByVault(signed.refusal, signed.record) }
  }

  const report = reporter(deps, ask.token, signed.record)
  const isLate = (): boolean => deps.clock() >= signed.expiresAfter
  const sent: Sent = isLate()
    ? { kind: "unsent", cause: "late" }
    : await upstream.send({
        path: signed.path,
        body: signed.body,
        traceparent,
        maySend() {
          if (isLate()) return false
          report({ kind: "sent" })
          return true
        },
      })
  report(outcomeOfSent(sent))
  if (sent.kind === "answered") return { kind: "venue", answer: sent.answer, record: signed.record }
  deps.log({ level: "warn", event: sent.kind, record: signed.record, ...causeOf(sent.cause) })
  return { kind: "problem", problem: problemOfSent(sent, signed, isLate()) }
}

/** Reports without making the bot wait; the one connection keeps the order in which it is called. */
function reporter(
  deps: ForwardDependencies,
  token: string,
  record: string,
): (outcome: Outcome) => void {
  const lost = (error: unknown): void =>
    deps.log({ level: "error", event: "report_lost", record, ...errorFields(error) })
  return (outcome) =>
    deps.track(
      deps.link.call("report", { token, record, outcome }).then((answer) => {
        if (answer.kind === "refused") {
          deps.log({ level: "error", event: "report_refused", record, code: answer.refusal.code })
        }
      }, lost),
    )
}

function outcomeOfSent(sent: Sent): Outcome {
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
  isLate: boolean,
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
  return isLate
    ? { code: "too_late", message: "The request expired before it was sent.", data, record }
    : {
        code: "upstream_unreachable",
        message: "The venue couldn't be reached; nothing was sent.",
        data,
        record,
      }
}

/** A cause of ours is a word; what undici and TLS say is a code. */
function causeOf(cause: unknown): { readonly code: string } {
  return { code: typeof cause === "string" ? cause.replaceAll(" ", "_") : errorFields(cause).code }
}

const baseUrlMissing: Problem = {
  code: "base_url_missing",
  message:
    "No venue is configured; add base_url to venue.yaml, or call /sign and send it yourself.",
  data: { add_line: "base_url: https://…" },
}
