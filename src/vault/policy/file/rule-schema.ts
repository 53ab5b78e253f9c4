import * as z from "zod"

import { compareDecimals, parseDecimal, type Decimal } from "../../../venue/decimal.ts"
import type { SymbolTable } from "../../../venue/profile.ts"
import type { Entry, Rule, SizeBound } from "../terms.ts"
import {
  described,
  objectError,
  tell,
  addressText,
  durationMs,
  fraction,
  listOf,
  percentage,
  wholeDays,
  yesOrNo,
  notAboveZero,
  parseAboveZero,
  parseSymbol,
  unknownSymbol,
} from "../values/scalars.ts"
import { matchersOf, matcherShape, operationsOf, speechOf } from "./matcher-schema.ts"

/** The keys of entries, made once for all lists: that takes longer than reading a file. */
export type EntryShapes = ReturnType<typeof entryShapes>

export function entryShapes(symbols: SymbolTable) {
  return { matchers: matcherShape(symbols), bounds: boundShape(symbols), over: overShape(symbols) }
}

/** An entry of `rules`. */
export function ruleSchema({ matchers, bounds }: EntryShapes): z.ZodType<Omit<Rule, "line">> {
  return z
    .strictObject(
      { ...matchers, ...bounds },
      { error: objectError("a rule: a name, endpoints, matchers and bounds") },
    )
    .transform((written, context) => {
      const matchers = matchersOf(written, context)
      const bounds = boundsOf(written)
      const speech = speechOf(matchers, { speakOfOrders: boundsOrders(bounds) })
      if (written.endpoints === undefined && speech.length === 0) {
        tell(context, "this rule would allow everything; name its endpoints")
      }
      if (isEmptyRange(bounds)) {
        tell(context, "no order matches: min_quantity is over max_quantity", "min_quantity")
      }
      return {
        name: written.name,
        operations: operationsOf(written.endpoints, speech, context),
        matchers,
        ...bounds,
      }
    })
}

const taken = {
  deny: "matchers, over_quantity and over_notional",
  limits: "matchers and what is counted over time",
  hold: "matchers, over_quantity, over_notional and a ttl",
} as const

/** Refuses a rule's bounds in other lists: there they could mean "over" or "within". Says where they belong. */
export function refusedBounds(list: keyof typeof taken, { bounds }: EntryShapes) {
  const refused = (name: string): z.ZodType =>
    z
      .custom(() => false, `${list} takes ${taken[list]}; write ${name} in a rule`)
      .optional()
      .meta({ refused: true })
  return Object.fromEntries(Object.keys(bounds).map((name) => [name, refused(name)]))
}

function boundShape(symbols: SymbolTable) {
  return { ...sizeShape(symbols), ...priceShape, ...approvalShape }
}

function sizeShape(symbols: SymbolTable) {
  return {
    max_quantity: described(
      sizeBound(symbols),
      "The most base units of an order, and of a batch's orders on one symbol together.",
      { "BTC-PERP": "0.5", default: "10" },
    ),
    min_quantity: described(sizeBound(symbols), "The least base units of every order.", "0.001"),
    max_notional: described(
      sizeBound(symbols),
      "The most quote units of an order at the worst price, and of a batch's orders together.",
      "25000",
    ),
  }
}

/** Of deny and hold entries. */
function overShape(symbols: SymbolTable) {
  return {
    over_quantity: described(
      sizeBound(symbols),
      "Orders of more base units, each by itself; what can't be told is more.",
      { "BTC-PERP": "5", default: "50" },
    ),
    over_notional: described(
      sizeBound(symbols),
      "Orders of more quote units at the worst price, each by itself; what can't be sized is more.",
      "250000",
    ),
  }
}

const priceShape = {
  price_band: described(
    percentage,
    "How far from the reference price the order's prices may be, triggers and legs included.",
    "2%",
  ),
  price_match_band: described(
    percentage,
    "How far above the reference price an order with price_match may fill.",
    "1%",
  ),
  max_slippage: described(
    fraction,
    "The most slippage of a market order, which must say its slippage then.",
    "0.01",
  ),
  max_expires_in: described(
    durationMs({ least: "1ms", most: "1d", example: "10s" }),
    "The longest that the signed request may be valid.",
    "10s",
  ),
  allow_full_tpsl: described(
    yesOrNo,
    "Admits tpsl_mode full, which closes a whole position; false without it.",
    true,
  ),
}

/** The most days that an agent is approved for, if the rule doesn't say. */
export const defaultMaxValidDays = 90

const heldOrListed = {
  anyOf: [{ const: "held" }, { type: "array", items: { type: "string" }, minItems: 1 }],
}

const approvalShape = {
  // `held` is the default, so writing it changes nothing.
  agent_addresses: z
    .preprocess((input) => (input === "held" ? undefined : input), listOf(addressText).optional())
    .meta({
      written: heldOrListed,
      description:
        "Agents that may be approved: held, those held here under the signing wallet, or exactly these.",
      example: "held",
    }),
  authorized_addresses: described(
    listOf(addressText),
    "Accounts that may be authorized_address besides the signer.",
    ["0x2222222222222222222222222222222222222222"],
  ),
  max_valid_days: described(
    wholeDays,
    `The most days that an agent is approved for; ${defaultMaxValidDays} without it.`,
    30,
  ),
}

function boundsOf(
  written: z.infer<z.ZodObject<ReturnType<typeof boundShape>>>,
): Omit<Rule, keyof Entry> {
  return {
    maxQuantity: written.max_quantity,
    minQuantity: written.min_quantity,
    maxNotional: written.max_notional,
    priceBand: written.price_band,
    priceMatchBand: written.price_match_band,
    maxSlippage: written.max_slippage,
    maxExpiresInMs: written.max_expires_in,
    allowFullTpsl: written.allow_full_tpsl ?? false,
    agentAddresses: written.agent_addresses ?? "held",
    authorizedAddresses: written.authorized_addresses ?? [],
    maxValidDays: written.max_valid_days ?? defaultMaxValidDays,
  }
}

function boundsOrders(bounds: Omit<Rule, keyof Entry>): boolean {
  const { maxQuantity, minQuantity, maxNotional, priceBand, maxSlippage } = bounds
  return [maxQuantity, minQuantity, maxNotional, priceBand, maxSlippage].some(
    (bound) => bound !== undefined,
  )
}

function isEmptyRange({ minQuantity: min, maxQuantity: max }: Omit<Rule, keyof Entry>): boolean {
  if (min?.kind !== "scalar" || max?.kind !== "scalar") return false
  return compareDecimals(min.amount, max.amount) > 0
}

const number = { type: ["string", "number"] }

/** One amount for all symbols, or a map with an amount for each and `default` for the others. */
function sizeBound(symbols: SymbolTable) {
  return z
    .unknown()
    .transform((input, context): SizeBound => {
      const problem = (message: string, ...path: string[]): SizeBound => {
        tell(context, message, ...path)
        return z.NEVER
      }
      if (typeof input === "string") {
        const amount = parseAboveZero(input)
        return amount === undefined ? problem(notAboveZero(input)) : { kind: "scalar", amount }
      }
      if (typeof input !== "object" || input === null || Array.isArray(input)) {
        return problem("must be a number or a map from symbols to numbers")
      }
      const written = Object.entries(input)
      if (written.length === 0) return problem("must name at least one symbol")
      return boundBySymbol(written, symbols, problem)
    })
    .meta({ written: { anyOf: [number, { type: "object", additionalProperties: number }] } })
}

function boundBySymbol(
  written: readonly (readonly [string, unknown])[],
  symbols: SymbolTable,
  problem: (message: string, ...path: string[]) => void,
): SizeBound {
  const amountBySymbol = new Map<number, Decimal>()
  let defaultAmount: Decimal | undefined
  for (const [name, text] of written) {
    const amount = typeof text === "string" ? parseDecimal(text) : undefined
    const id = parseSymbol(name, symbols)
    if (amount === undefined) problem("must be a decimal number such as 0.5", name)
    else if (name === "default") defaultAmount = amount
    else if (id === undefined) problem(unknownSymbol(name), name)
    else if (amountBySymbol.has(id)) problem(`${name} is named twice, by name and by id`, name)
    else amountBySymbol.set(id, amount)
  }
  return { kind: "by_symbol", amountBySymbol, defaultAmount }
}
