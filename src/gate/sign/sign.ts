import type { BotParams, BotResults } from "../../link/calls/methods.ts"
import type { BotLink } from "../../link/client.ts"
import type { Signed } from "../../link/views/signed.ts"
import { passedSince } from "../../std/time/moment.ts"
import { refusedByVault, type Problem } from "../http/problem.ts"
import type { Call } from "../http/read-call.ts"
import { withRateLimits, type Reply } from "../http/reply.ts"
import type { GateMetrics } from "../metrics/gate-metrics.ts"
import { repeatedAnswer } from "./repeats.ts"

/** `/sign`: the signed body itself. */
export async function sign(deps: SignatureDependencies, call: Call): Promise<Reply> {
  const signed = await askSignature(deps, call, "return")
  return withRateLimits(signatureReply(signed), signed)
}

function signatureReply(signed: BotResults["sign"]): Reply {
  if (signed.kind === "refused")
    return { kind: "problem", problem: refusedByVault(signed.refusal, signed.record) }
  if (signed.kind === "answered") return repeatedAnswer(signed)
  if (!isInTime(signed)) return { kind: "problem", problem: heldTooLong(signed) }
  const { body, record, repeat = "first" } = signed
  return { kind: "signed", body, record, isRepeat: repeat !== "first" }
}

export type SignatureDependencies = {
  readonly link: BotLink
  readonly metrics: Pick<GateMetrics, "waited">
}

/** Has the vault sign a call, or say why it doesn't. */
export async function askSignature(
  { link, metrics }: SignatureDependencies,
  { ask, traceparent }: Call,
  purpose: BotParams["sign"]["purpose"],
): Promise<BotResults["sign"]> {
  const askedMs = performance.now()
  const signed = await link.call("sign", { ...ask, traceparent, purpose })
  metrics.waited("vault", askedMs)
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
export function heldTooLong({ record }: Pick<Signed, "record">): Problem {
  return {
    code: "ledger_unavailable",
    message:
      "This was signed and took too long to come out, so it isn't given out; ask again, with the same idempotency key if there is one.",
    record,
  }
}
