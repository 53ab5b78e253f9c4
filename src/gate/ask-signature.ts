import type { BotLink } from "../link/client.ts"
import type { BotParams, BotResults } from "../link/methods.ts"
import type { GateMetrics } from "./metrics/gate-metrics.ts"
import type { Call } from "./read-call.ts"

export type SignatureDependencies = {
  readonly link: BotLink
  readonly metrics: Pick<GateMetrics, "waited">
}

/** Has the vault sign a call, or say why it doesn't. */
export async function askSignature(
  { link, metrics }: SignatureDependencies,
  { ask, idempotencyKey, traceparent }: Call,
  purpose: BotParams["sign"]["purpose"],
): Promise<BotResults["sign"]> {
  const askedMs = performance.now()
  const signed = await link.call("sign", { ...ask, idempotencyKey, traceparent, purpose })
  metrics.waited("vault", askedMs)
  return signed
}
