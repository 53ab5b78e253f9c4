import { Fault } from "../../std/fault.ts"
import type { Address } from "../../venue/address.ts"
import type { Clock } from "../clock.ts"
import { openSteadyTime } from "./steady-time.ts"

/** How far wall time may run ahead of the monotonic clock since the ledger was opened. */
export const maxClockLeadMs = 10_000
/** How far a nonce may lie ahead of the clock. */
export const maxNonceLeadMs = 1_000

export type NonceTaken =
  | { readonly kind: "taken"; readonly nonce: number }
  | { readonly kind: "too_fast"; readonly retryAfterMs: number }

/** Hands out nonces. Each is above all earlier ones of its signer, whatever the clock does. */
export type Nonces = {
  /** @throws {Fault} `clock_unsafe` when wall time has run too far ahead. */
  assertClockSafe(nowMs: number): void
  /** The last one that was taken. */
  last(signer: Address): number | undefined
  /** @throws {Fault} `clock_unsafe`; no nonce is taken then. */
  take(signer: Address, nowMs: number): NonceTaken
}

/**
 * Goes on from the last durable nonces: max(now, last + 1) for each signer.
 *
 * The pace is measured by the highest time seen, carried on by the monotonic clock, and not by wall time
 * itself: a clock that was set back would otherwise stop a signer until it caught up.
 */
export function openNonces(clock: Clock, lastNonces: ReadonlyMap<string, number>): Nonces {
  const last = new Map(lastNonces)
  const openedAtMs = clock.nowMs()
  const openedMonotonicMs = clock.monotonicMs()
  const steady = openSteadyTime(clock, startOf(openedAtMs, lastNonces))
  const assertClockSafe = (nowMs: number) =>
    assertLead(nowMs - openedAtMs - (clock.monotonicMs() - openedMonotonicMs))

  return {
    assertClockSafe,
    last: (signer) => last.get(signer),
    take(signer, nowMs) {
      assertClockSafe(nowMs)
      const nonce = Math.max(nowMs, (last.get(signer) ?? 0) + 1)
      const leadMs = nonce - steady.at(nowMs)
      if (leadMs > maxNonceLeadMs) {
        return { kind: "too_fast", retryAfterMs: leadMs - maxNonceLeadMs }
      }
      last.set(signer, nonce)
      return { kind: "taken", nonce }
    },
  }
}

/** No nonce was ever further ahead than the lead; if one is now, the clock was set back since. */
function startOf(openedAtMs: number, lastNonces: ReadonlyMap<string, number>): number {
  const highest = lastNonces.values().reduce((most, nonce) => Math.max(most, nonce), 0)
  return highest - openedAtMs > maxNonceLeadMs ? highest : openedAtMs
}

function assertLead(leadMs: number): void {
  if (leadMs <= maxClockLeadMs) return
  throw new Fault(
    "clock_unsafe",
    `The clock has run ${leadMs} ms ahead since Countersign was started (${maxClockLeadMs} are allowed); ` +
      "nothing is signed. Set the clock right, then restart Countersign.",
  )
}
