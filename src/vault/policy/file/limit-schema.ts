import * as z from "zod"

import type { OperationId } from "../../../venue/profile.ts"
import type { UnplacedLimit } from "../claims-of.ts"
import { orderMakingOperations } from "../match/judged-request.ts"
import { ever, type Counted, type Limit } from "../terms.ts"
import { dayWindow, type LimitWindow } from "../values/local-clock.ts"
import {
  described,
  objectError,
  required,
  tell,
  amountAboveZero,
  durationMs,
  fieldPointer,
  oneOf,
  timeZone,
} from "../values/scalars.ts"
import { matchersOf, operationsOf, speechOf } from "./matcher-schema.ts"
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

const ofOrders = oneOf(["submitted_notional", "submitted_quantity", "worst_cost"])
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
  {
    error: objectError(
      "submitted_notional, submitted_quantity, worst_cost or a pointer into the body",
    ),
  },
)

const sum = z
  .unknown()
  .transform((input, context): Counted => {
    const parsed = typeof input === "string" ? ofOrders.safeParse(input) : fieldSum.safeParse(input)
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
  .meta({ options: [ofOrders, fieldSum] })

const rolling = durationMs({ least: "1s", most: "31d", example: "1h" })

const limitShape = {
  sum: described(
    sum,
    "What is added up: quote units at the worst price, base units, what orders may lose at once, or a field of the body.",
    "submitted_notional",
  ),
  count: described(
    oneOf(["requests", "orders"]),
    "What is counted, in place of a sum.",
    "requests",
  ),
  window: required(
    z.union([z.enum(["day", "ever"]), rolling], {
      error: () => "must be a duration from 1s to 31d such as 1h, or day, or ever",
    }),
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

function countedBy({ sum: added, count, max }: Written, context: z.RefinementCtx): Counted {
  if ((added === undefined) === (count === undefined)) {
    tell(context, "must have one of sum and count")
  }
  if (added !== undefined) return added
  const isWhole = max.coefficient % 10n ** BigInt(max.scale) === 0n
  if (!isWhole) tell(context, "must be a whole number, since the limit counts", "max")
  return { kind: count ?? "requests" }
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

type Asked = {
  readonly counted: Counted
  readonly per: Limit["per"]
  readonly endpoints?: readonly OperationId[] | undefined
  readonly symbols?: unknown
  readonly window: unknown
  readonly release?: Limit["release"] | undefined
}

/** Mistakes that make a limit refuse everything it covers, or never count anything; each is reported at the `key` to change. */
export function limitMistakes(
  asked: Asked,
): readonly { readonly key: string; readonly message: string }[] {
  return known
    .filter(({ isIn }) => isIn(asked))
    .map(({ key, message }) => ({ key, message: message(orderless(asked.endpoints ?? [])) }))
}

/** Whether a limit without endpoints covers only operations that make orders, by what it counts and per what. */
function speaksOfOrders(counted: Counted, per: Limit["per"]): boolean {
  return sumsOrders(counted) || counted.kind === "orders" || per === "symbol"
}

const known: readonly {
  readonly key: string
  readonly message: (orderless: string) => string
  readonly isIn: (asked: Asked) => boolean
}[] = [
  {
    key: "sum",
    message: () => "needs endpoints: the operations whose body has this field",
    isIn: ({ counted, endpoints }) => counted.kind === "field" && endpoints === undefined,
  },
  {
    key: "per",
    message: () => "a field of the body belongs to no symbol; tell assets apart with by",
    isIn: ({ counted, per }) => counted.kind === "field" && per === "symbol",
  },
  {
    key: "per",
    message: (operations) => `needs orders, and none are made by ${operations}`,
    isIn: ({ counted, per, endpoints }) =>
      counted.kind !== "field" && per === "symbol" && orderless(endpoints ?? []) !== "",
  },
  {
    key: "endpoints",
    message: (operations) => `nothing would be counted: no orders are made by ${operations}`,
    isIn: ({ counted, endpoints }) =>
      sumsOrders(counted) && endpoints?.some((id) => orderMakingOperations.has(id)) === false,
  },
  {
    key: "per",
    message: () => "can't be key or account with window: ever: a key's successor would begin anew",
    isIn: ({ window, per }) => window === "ever" && (per === "key" || per === "account"),
  },
  {
    key: "symbols",
    message: () => "must be listed, since window: ever keeps what it counts of each for good",
    isIn: ({ window, counted, per, symbols }) =>
      window === "ever" && !symbols && (per === "symbol" || counted.kind === "submitted_quantity"),
  },
  {
    key: "sum",
    message: () =>
      "can't have by with window: ever, since a body could begin a sum for good with any text",
    isIn: ({ window, counted }) =>
      window === "ever" && counted.kind === "field" && counted.by !== undefined,
  },
  {
    key: "release",
    message: () => "can't be refused with window: ever: what was signed counts for good",
    isIn: ({ window, release }) => window === "ever" && release === "refused",
  },
]

function sumsOrders({ kind }: Counted): boolean {
  return ofOrders.safeParse(kind).success
}

function orderless(endpoints: readonly OperationId[]): string {
  return endpoints.filter((id) => !orderMakingOperations.has(id)).join(", ")
}
