import type { Address } from "../../../venue/address.ts"
import { rollingWindow, type RollingWindow, openTurns, type Turns } from "../../budgets/budget.ts"
import { type Clock, type LedgerTime, openSteadyTime } from "../../process/clock.ts"
import { nonceCycle, type NonceShare } from "../records/nonce-share.ts"
import type { ReserveAsk } from "../records/reservation.ts"
import type { RequestRow } from "../records/row.ts"

/** How far a nonce may lie ahead of the clock. The last 250 ms are kept for what reduces risk: a signer has many bots. */
export const maxNonceLeadMs = { open: 1_000, reduce: 1_250, cancel: 1_250 } as const

/** How far ahead another host's may be, whose clock is half a second from this one's at most. */
export const mostInTurnMs = maxNonceLeadMs.cancel + 500

/** Who has the nonces of a signer that lie ahead of the clock, and who waits for one. */
type Shared = { readonly ahead: RollingWindow; readonly turns: Turns }

type Start = {
  readonly clock: Pick<Clock, "monotonicMs">
  readonly startMs: LedgerTime
  readonly nonces?: NonceShare | undefined
}

/**
 * Goes on from the last durable nonces: max(now, last + 1) for each signer, or the next of this host's share.
 *
 * The pace is measured by the highest time seen, carried on by the monotonic clock, and not by wall time
 * itself: a clock that was set back would otherwise stop a signer until it caught up.
 *
 * A client may take one more of a signer's nonces as long as it holds fewer ahead of the clock than are free there, less
 * one for each client that waits and had its turn longer ago.
 */
export function openNonces(
  { clock, startMs, nonces: share = { first: 0, last: nonceCycle - 1 } }: Start,
  lastNonces: ReadonlyMap<string, number>,
) {
  const everyMs = nonceCycle / (share.last - share.first + 1)
  const last = new Map<string, number>()
  const sharedOf = openShared()
  const steady = openSteadyTime(clock, startMs)

  function raise(signer: string, floor: number): void {
    if (floor === 0) return // nothing was ever signed, or it was raised before
    last.set(signer, Math.max(floor, last.get(signer) ?? 0))
    // Further ahead than orders run: the clock was set back since, or a mark was written ahead of need.
    if (floor - steady.now() > maxNonceLeadMs.open) steady.at(floor)
  }

  for (const [signer, nonce] of lastNonces) raise(signer, nonce)
  return {
    /** The last one that was taken. */
    last: (signer: Address) => last.get(signer),
    /** Every nonce of the signer is above `floor` from now on. */
    raise,
    /** The one that the signer's next request has. Not used until `used` says so; a client that gets none waits for its turn. */
    next(ask: Pick<ReserveAsk, "signer" | "nowMs" | "lane"> & { readonly client: string }) {
      const { signer, client, nowMs, lane } = ask
      const earlier = last.get(signer) ?? 0
      const nonce = inShare(Math.max(nowMs, earlier + 1), share)
      const timeMs = steady.at(nowMs)
      const { ahead, turns } = sharedOf(signer, timeMs)
      const kept = ahead.totalOf(client) + turns.before(client, timeMs)
      const leadMs = Math.max(nonce, earlier + (1 + kept) * everyMs) - timeMs
      if (leadMs <= maxNonceLeadMs[lane]) return { kind: "next", nonce } as const
      turns.refuse(client, timeMs)
      const retryAfterMs = Math.ceil(leadMs - maxNonceLeadMs[lane])
      return { kind: "too_fast", retryAfterMs } as const
    },
    /** A request whose row is appended in this turn has it. */
    used({ signer, nonce, client }: Pick<RequestRow, "signer" | "nonce" | "client">): void {
      // Of a host whose clock was ahead: the pace goes on from there.
      if (nonce - steady.now() > mostInTurnMs) steady.at(nonce)
      last.set(signer, Math.max(nonce, last.get(signer) ?? 0))
      const { ahead, turns } = sharedOf(signer, steady.now())
      ahead.add({ client, weight: 1, isCertain: true }, nonce)
      turns.take(client, steady.now())
    },
  }
}

/** Starts with all free, and tells it of a signer as it is at a time. */
function openShared(): (signer: string, nowMs: number) => Shared {
  const bySigner = new Map<string, Shared>()
  return (signer, nowMs) => {
    const shared = bySigner.get(signer) ?? { ahead: rollingWindow(0), turns: openTurns() }
    bySigner.set(signer, shared)
    shared.ahead.moveTo(nowMs)
    return shared
  }
}

/** The least nonce of a share that isn't below `least`. */
function inShare(least: number, { first, last }: NonceShare): number {
  const rest = least % nonceCycle
  if (rest < first) return least + first - rest
  return rest <= last ? least : least - rest + nonceCycle + first
}
