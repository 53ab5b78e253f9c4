import { z } from "zod"

import { outcomeSchema } from "./outcome.ts"
import { venueClockSchema } from "./venue-clock.ts"

/** A bot's token, its only identity. */
export const token = z.string().max(128)
/** A record's id. */
export const record = z.string().max(64)

/** What the gate tells of a request that it forwarded. */
export const reportSchema = z.strictObject({
  token,
  record,
  outcome: outcomeSchema,
  venueClock: venueClockSchema.optional(),
})
