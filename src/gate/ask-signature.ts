import { randomUUID } from "node:crypto"

import type { BotLink } from "../link/client.ts"
import type { BotParams, BotResults } from "../link/methods.ts"
import type { GateMetrics } from "./metrics/gate-metrics.ts"
import type { Call, Wait } from "./read-call.ts"

export type SignatureDependencies = {
  readonly link: BotLink
  readonly metrics: Pick<GateMetrics, "waited">
  /** What gives up the calls that wait for room. */
  readonly waits: Set<() => void>
}

/** Has the vault sign a call, or say why it doesn't. */
export async function askSignature(
  deps: SignatureDependencies,
  { ask, idempotencyKey, traceparent, wait }: Call,
  purpose: BotParams["sign"]["purpose"],
): Promise<BotResults["sign"]> {
  const params = { ...ask, idempotencyKey, traceparent, purpose }
  if (wait !== undefined) return askAndWait(deps, params, wait)
  const askedMs = performance.now()
  const signed = await deps.link.call("sign", params)
  deps.metrics.waited("vault", askedMs)
  return signed
}

/** The vault is told when the bot hangs up or the gate stops: what waits for room then isn't signed. */
async function askAndWait(
  { link, waits }: SignatureDependencies,
  params: BotParams["sign"],
  { ms, onHangUp }: Wait,
): Promise<BotResults["sign"]> {
  const id = randomUUID()
  const signing = link.call("sign", { ...params, wait: { id, ms } }, ms)
  // It leaves after the call itself. One that is lost leaves the call to wait to its end.
  const giveUp = (): void =>
    void link.call("abandonWait", { token: params.token, id }).catch(() => undefined)
  const forget = onHangUp(giveUp)
  waits.add(giveUp)
  try {
    return await signing
  } finally {
    waits.delete(giveUp)
    forget()
  }
}
