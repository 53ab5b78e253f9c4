import * as z from "zod"

import type { SymbolTable } from "../../../venue/profile.ts"
import type { BySymbol, Guard, PositionMax } from "../guard-terms.ts"
import {
  amountAboveZero,
  described,
  objectError,
  parseSymbol,
  policyName,
  required,
  tell,
  textAs,
  unknownSymbol,
} from "../values/scalars.ts"
import { lossBound, lossShape } from "./loss-schema.ts"

/** An entry of `guards`. */
export function guardSchema(symbols: SymbolTable): z.ZodType<Guard> {
  return z
    .strictObject(
      {
        name: required(policyName, "The guard's name in refusals.", "small"),
        ...positionShape(symbols),
        max_open_orders: described(
          wholeNumber,
          "How many orders that can enlarge a position may be open at once, of all symbols together.",
          20,
        ),
        max_open_notional: described(
          amountAboveZero,
          "The most quote units of such orders together.",
          "100000",
        ),
        ...lossShape,
      },
      { error: objectError(`a guard: a name, and one of ${bounds}`) },
    )
    .transform((written, context): Guard => {
      const { name, max_position, max_freed, max_open_orders, max_open_notional } = written
      const loss = lossBound(written, context)
      if ((max_position ?? max_open_orders ?? max_open_notional ?? loss) === undefined) {
        tell(context, `must have one of ${bounds}`)
      }
      if (max_freed !== undefined && max_position === undefined) {
        tell(context, "goes with max_position", "max_freed")
      }
      return {
        name,
        maxPosition: max_position,
        maxFreed: max_freed,
        maxOpenOrders: max_open_orders,
        maxOpenNotional: max_open_notional,
        loss,
      }
    })
}

function positionShape(symbols: SymbolTable) {
  return {
    max_position: described(
      bySymbol(symbols, positionMax),
      "The most that a position may come to, for each symbol: net, base units of either side; gross, of both sides together in hedge mode; notional, quote units of either side at the reference price. default is for all others.",
      { "BTC-PERP": { net: "2" }, default: { notional: "50000" } },
    ),
    max_freed: described(
      bySymbol(symbols, amountAboveZero),
      "The most base units that readings free of either side of a symbol in a day of UTC, so that a reader that lies lets a position come to max_position and this at most. Without it they free all. default is for all others.",
      { "BTC-PERP": "20", default: "1000" },
    ),
  }
}

const bounds = "max_position, max_open_orders, max_open_notional, daily_loss, loss and drawdown"

const wholeNumber = textAs(
  (text) => (/^(?:0|[1-9]\d{0,5})$/.test(text) ? Number(text) : undefined),
  () => "must be a whole number, at most 999999",
).meta({ written: { type: "integer", minimum: 0 } })

const measures = ["net", "gross", "notional"] as const

const positionMax = z
  .strictObject(
    {
      net: described(amountAboveZero, "Base units of either side.", "2"),
      gross: described(amountAboveZero, "Base units of both sides together, in hedge mode.", "3"),
      notional: described(amountAboveZero, "Quote units of either side.", "50000"),
    },
    { error: objectError("a map such as {net: 2}") },
  )
  .transform((written, context): PositionMax => {
    const [first, ...more] = measures.flatMap((kind) => {
      const max = written[kind]
      return max === undefined ? [] : [{ kind, max }]
    })
    if (first !== undefined && more.length === 0) return first
    tell(context, "must have one of net, gross and notional")
    return z.NEVER
  })

function bySymbol<Value>(symbols: SymbolTable, value: z.ZodType<Value>) {
  return z.record(z.string(), value).transform((written, context): BySymbol<Value> => {
    const maxes = new Map<number, Value>()
    for (const [name, max] of Object.entries(written)) {
      const id = parseSymbol(name, symbols)
      if (name === "default") continue
      if (id === undefined) tell(context, unknownSymbol(name), name)
      else if (maxes.has(id)) tell(context, `${name} is named twice, by name and by id`, name)
      else maxes.set(id, max)
    }
    return { bySymbol: maxes, default: written["default"] }
  })
}
