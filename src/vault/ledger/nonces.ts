import type { Address } from "../../venue/address.ts"
import type { Clock } from "../clock.ts"
import type { ClockGuard } from "./clock-guard.ts"
import { openSteadyTime } from "./steady-time.ts"

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
  /** Every nonce of the signer is above `floor` from now on. */
  raise(signer: Address, floor: number): void
  /** @throws {Fault} `clock_unsafe`; no nonce is taken then. */
  take(signer: Address, nowMs: number): NonceTaken
}

/**
 * Goes on from the last durable nonces: max(now, last + 1) for each signer.
 *
 * The pace is measured by the highest time seen, carried on by the monotonic clock, and not by wall time
 * itself: a clock that was set back would otherwise stop a signer until it caught up.
 */
export function openNonces(
  clock: Clock,
  guard: ClockGuard,
  lastNonces: ReadonlyMap<string, number>,
): Nonces {
  const last = new Map<string, number>()
  const steady = openSteadyTime(clock, guard.believed(clock.nowMs()))

  function raise(signer: string, floor: number): void {
    if (floor === 0) return // nothing was ever signed
    last.set(signer, Math.max(floor, last.get(signer) ?? 0))
    // No nonce was ever further ahead than the lead; if one is now, the clock was set back since.
    if (floor - steady.now() > maxNonceLeadMs) steady.at(floor)
  }

  for (const [signer, nonce] of lastNonces) raise(signer, nonce)
  return {
    assertClockSafe: (nowMs) => guard.assertSafe(nowMs),
    last: (signer) => last.get(signer),
    raise,
    take(signer, nowMs) {
      guard.assertSafe(nowMs)
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
