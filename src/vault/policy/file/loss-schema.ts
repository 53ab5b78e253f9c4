import * as z from "zod"

import { parsePercentage } from "../../../venue/decimal.ts"
import type { LossBound } from "../guard-terms.ts"
import { ever } from "../terms.ts"
import { dayWindow, type LimitWindow } from "../values/local-clock.ts"
import {
  described,
  durationMs,
  objectError,
  oneOf,
  parseAboveZero,
  percentage,
  required,
  tell,
  textAs,
  timeZone,
} from "../values/scalars.ts"

/** Quote units, or a share of what the loss is counted from. */
const lossMax = textAs(
  (text): LossBound["max"] | undefined => {
    const value = text.endsWith("%") ? parsePercentage(text) : parseAboveZero(text)
    if (value === undefined || value.coefficient === 0n) return undefined
    return { kind: text.endsWith("%") ? "share" : "amount", value }
  },
  () => "must be an amount above zero such as 500, or a percentage such as 5%",
).meta({ written: { type: ["string", "number"] } })

const max = required(
  lossMax,
  "The most that may be lost: quote units, or a percentage of the equity that it is counted from.",
  "5%",
)

const dailyLoss = z
  .strictObject(
    { max, zone: required(timeZone, "The time zone of the calendar day.", "Europe/Berlin") },
    { error: objectError("a map such as {max: 500, zone: UTC}") },
  )
  .transform(({ zone: { zone, clock }, ...rest }) => {
    const window: LimitWindow = { kind: "day", zone, dayAt: dayWindow(clock) }
    return { ...rest, kind: "daily_loss" as const, window }
  })

const rollingLoss = z
  .strictObject(
    {
      max,
      window: required(
        durationMs({ least: "1h", most: "7d", example: "24h" }),
        "Within which the highest equity is what the loss is counted from.",
        "24h",
      ),
    },
    { error: objectError("a map such as {max: 500, window: 24h}") },
  )
  .transform(({ window: lengthMs, ...rest }) => {
    const window: LimitWindow = { kind: "rolling", lengthMs }
    return { ...rest, kind: "loss" as const, window }
  })

const drawdown = z
  .strictObject({ max }, { error: objectError("a map such as {max: 10%}") })
  .transform((written) => ({ ...written, kind: "drawdown" as const, window: ever }))

/** What of a guard is about losses. */
export const lossShape = {
  daily_loss: described(
    dailyLoss,
    "How much less the account may be worth than when the day began.",
    { max: "500", zone: "Europe/Berlin" },
  ),
  loss: described(
    rollingLoss,
    "How much less the account may be worth than at its highest within a while.",
    { max: "5%", window: "24h" },
  ),
  drawdown: described(
    drawdown,
    "How much less the account may be worth than at its highest ever.",
    { max: "10%" },
  ),
  shock: described(
    percentage,
    "By how much prices may move before the next reading, as a share of what is held; 1% without it.",
    "1%",
  ),
  max_age: described(
    durationMs({ least: "5s", most: "10m", example: "60s" }),
    "No older reading is believed: what opens is refused then; 60s without it.",
    "60s",
  ),
  then: described(
    oneOf(["refuse", "reduce_only", "freeze"]),
    "What follows when a reading shows a loss over max. refuse: nothing more, so a recovery opens again. reduce_only: nothing opens until a person re-arms the guard, of daily_loss until the day ends. freeze: that, and the account's keys are frozen at the second reading in a row. reduce_only without it.",
    "reduce_only",
  ),
}

type Written = z.infer<z.ZodObject<typeof lossShape>>

/** The bound that a guard has on losses, one at most: each trips, and is re-armed, by the guard's name. */
export function lossBound(written: Written, context: z.RefinementCtx): LossBound | undefined {
  const { daily_loss, loss, drawdown: ofEver, ...rest } = written
  const [bound, ...more] = [daily_loss, loss, ofEver].filter((each) => each !== undefined)
  if (more.length > 0) {
    tell(context, "must have one of daily_loss, loss and drawdown; write another guard for another")
  }
  if (bound !== undefined) return { ...bound, ...howBounded(rest) }
  for (const key of ["shock", "max_age", "then"] as const) {
    if (rest[key] !== undefined) tell(context, "goes with daily_loss, loss or drawdown", key)
  }
  return undefined
}

const onePercent = { coefficient: 1n, scale: 2 }

function howBounded({
  shock = onePercent,
  max_age: maxAgeMs = 60_000,
  then = "reduce_only",
}: Pick<Written, "shock" | "max_age" | "then">) {
  return { shock, maxAgeMs, then }
}
