import type { Unanswered } from "../../conditions/gate-alarms.ts"
import { Fault } from "../../std/fault.ts"
import { causeFields } from "../process/log.ts"
import type { Sent } from "./exchange.ts"

/** How the tries at the venue stand of which none was answered. */
export type Failing = Unanswered & {
  /** No connection stood, so that one that stands shows that it is over. */
  readonly isUnconnected: boolean
}

/** How they stand after one more; `undefined` once one was answered. */
export function failingAfter(
  before: Failing | undefined,
  sent: Sent,
  nowMs: number,
): Failing | undefined {
  // Nothing was tried.
  if (sent.kind !== "answered" && sent.cause instanceof Fault) return before
  // It is asked whether to send once a connection stands.
  if (isHeldBack(sent)) return before?.isUnconnected === true ? undefined : before
  const why = failureOf(sent)
  if (why === undefined) return undefined
  const { sinceMs, tries } = before ?? { sinceMs: nowMs, tries: 0 }
  return { sinceMs, tries: tries + 1, why, isUnconnected: sent.kind === "unsent" }
}

function isHeldBack(sent: Sent): boolean {
  return sent.kind === "unsent" && sent.cause === "held back"
}

/** By which a gateway says that it is not the venue who answers (RFC 9110 §15.6.3 to §15.6.5). */
const gatewayStatuses = [502, 503, 504]

function failureOf(sent: Sent): string | undefined {
  if (sent.kind === "answered") {
    const { status } = sent.answer
    return gatewayStatuses.includes(status) ? `HTTP ${status}` : undefined
  }
  // An answer that broke off, or that can't be read, is one.
  if (sent.kind === "unknown" && sent.status !== null) return undefined
  return causeFields(sent.cause).code
}
