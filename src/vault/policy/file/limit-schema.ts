import * as z from "zod"

import type { Decimal } from "../../../venue/decimal.ts"
import { dayWindow } from "./day-window.ts"
import { ever } from "../terms/claim.ts"
import type { Counted, LimitWindow } from "../terms/policy.ts"
import { described, objectError, required, tell } from "../values/described.ts"
import type { UnplacedLimit } from "./limit-definition.ts"
import { limitMistakes, speaksOfOrders } from "./limit-mistakes.ts"
import { matchersOf, operationsOf, speechOf } from "./matcher-schema.ts"
import { amountAboveZero, durationMs, fieldPointer, oneOf, timeZone } from "../values/scalars.ts"
import { refusedBounds, type EntryShapes } from "./rule-schema.ts"

/** An entry of `limits`. */
export function limitSchema(shapes: EntryShapes): z.ZodType<UnplacedLimit> {
  return z
    .strictObject(
      { ...refusedBounds("limits", shapes), ...shapes.matchers, ...limitShape },
      { error: objectError("a limit: a name, a sum or count, a window and a max") },
    )
    .transform((written, context): UnplacedLimit => {
      const matchers = matchersOf(written, context)
      const { endpoints, per = "all" } = written
      const counted = countedBy(written, context)
      for (const { key, message } of limitMistakes({ ...written, counted, per })) {
        tell(context, message, key)
      }
      const speech = speechOf(matchers, { speakOfOrders: speaksOfOrders(counted, per) })
      return {
        name: written.name,
        operations: operationsOf(endpoints, speech, context),
        matchers,
        counted,
        window: windowOf(written, context),
        max: written.max,
        per,
        lane: written.lane,
        mode: written.mode ?? "enforce",
        release: written.release ?? "never",
        namesEndpoints: endpoints !== undefined,
      }
    })
}

const submitted = oneOf(["submitted_notional", "submitted_quantity"])
const fieldSum = z.strictObject(
  {
    pointer: required(
      fieldPointer,
      "Which field of the body is the amount, as a JSON Pointer.",
      "/amount",
    ),
    by: described(
      fieldPointer,
      "Which field says what it is an amount of: amounts of two assets are never added.",
      "/asset",
    ),
  },
  { error: objectError("submitted_notional, submitted_quantity or a pointer into the body") },
)

const sum = z
  .unknown()
  .transform((input, context): Counted => {
    const parsed =
      typeof input === "string" ? submitted.safeParse(input) : fieldSum.safeParse(input)
    if (!parsed.success) {
      // zod takes an issue without `input` as a raw issue. The input only serves messages.
      for (const issue of parsed.error.issues) {
        context.issues.push({ ...issue, input } as z.core.$ZodRawIssue)
      }
      return z.NEVER
    }
    if (typeof parsed.data === "string") return { kind: parsed.data }
    return { kind: "field", pointer: parsed.data.pointer, by: parsed.data.by }
  })
  .meta({ options: [submitted, fieldSum] })

const rolling = durationMs({ least: "1s", most: "31d", example: "1h" })

const limitShape = {
  sum: described(
    sum,
    "What is added up: quote units at the worst price, base units, or a field of the body.",
    "submitted_notional",
  ),
  count: described(
    oneOf(["requests", "orders"]),
    "What is counted, in place of a sum.",
    "requests",
  ),
  window: required(
    z.union([z.enum(["day", "ever"]), rolling], { error: windowMessage }),
    "How long what was counted goes on counting: a duration that rolls, a calendar day, or for ever.",
    "1h",
  ),
  zone: described(
    timeZone,
    "The time zone of the calendar day, with window: day.",
    "Europe/Berlin",
  ),
  max: required(
    amountAboveZero,
    "The most that may be counted within the window; a whole number with count.",
    "1000000",
  ),
  per: described(
    oneOf(["client", "key", "symbol", "account", "all"]),
    "For whom the maximum counts apart; without it for all whom the file applies to together.",
    "client",
  ),
  lane: described(
    oneOf(["reduce"]),
    "Counts only what reduces risk: reduce-only orders on perpetuals, and cancels that endpoints names.",
    "reduce",
  ),
  mode: described(
    oneOf(["enforce", "observe"]),
    "Whether a spent limit refuses, or only counts and alarms; enforce without it.",
    "observe",
  ),
  release: described(
    oneOf(["never", "refused"]),
    "Whether the venue's refusal of the only send gives room back; never without it.",
    "refused",
  ),
}

type Written = z.infer<z.ZodObject<typeof limitShape>>

function windowMessage(): string {
  return "must be a duration from 1s to 31d such as 1h, or day, or ever"
}

function countedBy({ sum: added, count, max }: Written, context: z.RefinementCtx): Counted {
  if ((added === undefined) === (count === undefined)) {
    tell(context, "must have one of sum and count")
  }
  if (added !== undefined) return added
  if (!isWhole(max)) tell(context, "must be a whole number, since the limit counts", "max")
  return { kind: count ?? "requests" }
}

function isWhole({ coefficient, scale }: Decimal): boolean {
  return coefficient % 10n ** BigInt(scale) === 0n
}

function windowOf({ window, zone }: Written, context: z.RefinementCtx): LimitWindow {
  if (window === "day") {
    if (zone !== undefined) return { kind: "day", zone: zone.zone, dayAt: dayWindow(zone.clock) }
    tell(context, "needs a zone: whose day it is", "window")
    return z.NEVER
  }
  if (zone !== undefined) tell(context, "goes with window: day alone", "zone")
  return window === "ever" ? ever : { kind: "rolling", lengthMs: window }
}
