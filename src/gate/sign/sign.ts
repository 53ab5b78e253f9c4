import type { BotParams, BotResults } from "../../link/calls/methods.ts"
import type { BotLink } from "../../link/client.ts"
import { refusedByVault } from "../http/problem.ts"
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
