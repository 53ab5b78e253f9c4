import assert from "node:assert/strict"

import type { SendAsk, Upstream } from "../../src/gate/upstream/upstream.ts"

/** What a venue answers that took a request. */
export const acceptedAnswer = '{"code":"0","msg":"","data":{},"trace_code":""}'

/** Asks for an order to be sent, at once and without a trace. */
export function sendAsk(changes: Partial<SendAsk> = {}): SendAsk {
  const body = '{"a":1}'
  return { path: "/v1/trade/orders", body, traceparent: undefined, maySend: () => true, ...changes }
}

/** Sends, and asserts that it ends before leave was asked. */
export async function assertUnasked(upstream: Upstream, ask: SendAsk = sendAsk()): Promise<void> {
  let asked = 0
  const sent = await upstream.send({ ...ask, maySend: () => (asked++, true) })
  assert.equal(sent.kind, "unsent")
  assert.equal(asked, 0)
}

/** What an upstream that a test plays says of the way to the venue: nothing is known. */
export const unwatched: Pick<Upstream, "failing" | "connect"> = {
  failing: () => undefined,
  connect: () => Promise.resolve(),
}
