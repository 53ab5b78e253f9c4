import type { VenueClockReading } from "../link/venue-clock.ts"

/** RFC 9110 §5.6.7, IMF-fixdate: the only form that a server may send. */
const fixdate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** A `Date` names a whole second, and may be written at its end. */
const resolutionMs = 1_000

/**
 * What a `Date` header proves of the venue's clock against ours. It was written at some moment between the
 * request's first byte and the answer's head, both times by our clock, so a slow answer proves less.
 */
export function venueOffset(
  date: string | string[] | undefined,
  { sentMs, headMs }: { readonly sentMs: number; readonly headMs: number },
): VenueClockReading | undefined {
  const dateMs = typeof date === "string" && fixdate.test(date) ? Date.parse(date) : Number.NaN
  // Our clock was set back meanwhile: then there is nothing to compare with.
  if (Number.isNaN(dateMs) || headMs < sentMs) return undefined
  return { leastMs: dateMs - headMs, mostMs: dateMs + resolutionMs - sentMs }
}
