import * as z from "zod"

import { outcomeSchema } from "../views/outcome.ts"

/** No clocks are further apart than that and still named in milliseconds. */
const mostMs = 8.64e15

const offset = z.int().min(-mostMs).max(mostMs)

/**
 * How far the venue's clock is ahead of this machine's, in milliseconds, by the `Date` of an answer: no less
 * than `leastMs` and no more than `mostMs`. Negative where it is behind.
 */
const venueClockSchema = z.strictObject({ leastMs: offset, mostMs: offset })
export type VenueClockReading = z.infer<typeof venueClockSchema>

/** A bot's token, its only identity. */
export const token = z.string().max(128)
/** A record's id. */
export const record = z.string().max(64)

/** 1 to 64 visible characters of ASCII: a header's value as it came. */
export const idempotencyKey = z.string().regex(/^[\x21-\x7e]{1,64}$/)
/** The header of W3C Trace Context. */
export const traceparent = z.string().regex(/^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/)

/** What the gate tells of a request that it forwarded. */
export const reportSchema = z.strictObject({
  token,
  record,
  outcome: outcomeSchema,
  venueClock: venueClockSchema.optional(),
})
