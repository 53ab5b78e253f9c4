import { z } from "zod"

/** No clocks are further apart than that and still named in milliseconds. */
const mostMs = 8.64e15

const offset = z.int().min(-mostMs).max(mostMs)

/**
 * How far the venue's clock is ahead of this machine's, in milliseconds, by the `Date` of an answer: no less
 * than `leastMs` and no more than `mostMs`. Negative where it is behind.
 */
export const venueClockSchema = z.strictObject({ leastMs: offset, mostMs: offset })
export type VenueClockReading = z.infer<typeof venueClockSchema>
