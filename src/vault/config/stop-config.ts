import * as z from "zod"

import { dayMs, duration, yesOrNo } from "./config-values.ts"

/** Signs of trouble that freeze by themselves; none does unless the file says so. */
export type FreezeOn = {
  /** So many refusals by the venue in a row freeze the key. */
  readonly venueRefusals: number | undefined
  /** So many refusals by policy within a minute freeze the client. */
  readonly policyRefusalsPerMinute: number | undefined
  readonly nonceTrouble: boolean
  readonly clockTrouble: boolean
}

/** For how long a client may be silent once it was heard, and what follows then. */
export type Heartbeat = { readonly withinMs: number; readonly then: "freeze" | "panic" }

/** A number of events; a larger one would keep more times in memory than a sign of trouble is worth. */
const eventCount = z
  .string()
  .regex(/^[1-9]\d{0,3}$/, "expected a whole number from 1 to 9999")
  .transform(Number)

/** `freeze_on` of countersign.yaml. */
export const freezeOnSetting = z
  .strictObject({
    venue_refusals: eventCount.optional(),
    policy_refusals_per_minute: eventCount.optional(),
    nonce_trouble: yesOrNo,
    clock_trouble: yesOrNo,
  })
  .prefault({})
  .transform((written): FreezeOn => ({
    venueRefusals: written.venue_refusals,
    policyRefusalsPerMinute: written.policy_refusals_per_minute,
    nonceTrouble: written.nonce_trouble,
    clockTrouble: written.clock_trouble,
  }))

const heartbeat = z
  .strictObject({
    within: duration(dayMs).refine((ms) => ms >= 1_000, "expected a duration of at least 1s"),
    then: z.enum(["freeze", "panic"]).default("freeze"),
  })
  .transform(({ within, then }): Heartbeat => ({ withinMs: within, then }))

const clientName = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, "expected a client's name")

/** `heartbeats` of countersign.yaml, by client. */
export const heartbeatsSetting = z
  .record(clientName, heartbeat)
  .prefault({})
  .transform((written): ReadonlyMap<string, Heartbeat> => new Map(Object.entries(written)))
