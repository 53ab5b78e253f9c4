import type { VenueClockReading } from "../../link/calls/gate-methods.ts"
import type { Stop } from "../../contract/refusal.ts"
import type { Warning } from "../../contract/views.ts"
import type { ActiveSet } from "../active/active-set.ts"
import type { Clock } from "../process/clock.ts"
import { log } from "../process/log.ts"

/**
 * The venue's clock against this machine's, by the gate's word on the answers that it got. It can warn, and
 * stop what `max_venue_offset` says; nothing is ever signed because of it, or for longer.
 */
export type VenueClock = ReturnType<typeof openVenueClock>

/** After that the next answer must tell anew: an offset that stops orders would else last for ever, since none is sent. */
const goodForMs = 60_000

/** Where status and log begin to warn: twice what a `Date` header can tell apart. */
const noticeableMs = 2_000
/** A reading that leaves more open than this can't tell that the clocks agree. */
const vagueMs = 3_000

const setClock = "timedatectl set-ntp true"

type Said = { readonly aheadMs: number; readonly atMs: number }

/** Knows nothing at first; a restart forgets. */
export function openVenueClock(clock: Pick<Clock, "monotonicMs">) {
  let said: Said | undefined
  let loggedAtMs: number | undefined
  const aheadMs = (): number =>
    said === undefined || clock.monotonicMs() - said.atMs >= goodForMs ? 0 : said.aheadMs
  return {
    /** How far the venue's clock is ahead for certain; negative where it is behind, 0 where neither is known. */
    aheadMs,
    /** Takes the gate's word; the last one counts, for a minute. */
    tell(reading: VenueClockReading): void {
      const atMs = clock.monotonicMs()
      if (provesNothing(reading)) return
      said = { aheadMs: provenMs(reading), atMs }
      const isLogged = loggedAtMs !== undefined && atMs - loggedAtMs < goodForMs
      if (!isNoticeable(said.aheadMs) || isLogged) return
      loggedAtMs = atMs
      log({ level: "warn", event: "venue_clock_off", message: offsetSentence(said.aheadMs) })
    },
  }
}

/** What `status` warns of. */
export function venueClockWarnings(
  clock: VenueClock,
  { config: { expiresInMs } }: Pick<ActiveSet, "config">,
): readonly Warning[] {
  const ms = clock.aheadMs()
  if (!isNoticeable(ms)) return []
  return [{ message: offsetSentence(ms) + meaning(ms, expiresInMs.trade), fix: setClock }]
}

/** The refusal of what doesn't reduce risk while the venue's clock is too far off; `undefined` where it isn't. */
export function venueClockOff(clock: VenueClock, maxOffsetMs: number): Stop | undefined {
  const ms = clock.aheadMs()
  if (Math.abs(ms) <= maxOffsetMs) return undefined
  return {
    code: "clock_unsafe",
    message: `${offsetSentence(ms)} Until then only cancels and reduce-only orders are signed.`,
    data: {
      ...{ signs: "reduce_only", fix: setClock },
      ...{ venue_ahead_ms: ms, max_venue_offset_ms: maxOffsetMs },
    },
  }
}

function provenMs({ leastMs, mostMs }: VenueClockReading): number {
  if (leastMs > 0) return leastMs
  return mostMs < 0 ? mostMs : 0
}

/** Of an answer that was long under way: it takes nothing back either. */
function provesNothing(reading: VenueClockReading): boolean {
  return provenMs(reading) === 0 && reading.mostMs - reading.leastMs > vagueMs
}

function isNoticeable(aheadMs: number): boolean {
  return Math.abs(aheadMs) >= noticeableMs
}

function offsetSentence(aheadMs: number): string {
  const side = aheadMs > 0 ? "ahead of" : "behind"
  const seconds = Math.floor(Math.abs(aheadMs) / 1_000)
  return `The venue's clock is at least ${seconds} s ${side} this machine's, by the Date of its answers; set this one: ${setClock}.`
}

function meaning(aheadMs: number, expiresInMs: number): string {
  if (aheadMs > expiresInMs) return " Trade requests have expired before the venue gets them."
  if (-aheadMs > expiresInMs) {
    return " Trade requests are good at the venue for more than twice as long as they should be."
  }
  return ""
}
