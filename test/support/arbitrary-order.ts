import fc from "fast-check"

import type { SymbolEntry } from "../../src/venue/profile.ts"
import { anyCharacter } from "./any-character.ts"

type Fields = Record<string, unknown>

/**
 * Random placeOrder bodies that keep every order rule, with their keys in any order. Symbols are 1 and 2
 * (perpetuals) and 3 (spot), as in `testProfile`.
 */
export function arbitraryOrder(): fc.Arbitrary<Record<string, unknown>> {
  return fc
    .constantFrom(...symbols)
    .chain(({ id, market }) => arbitraryOrderOf(market).map((body) => ({ ...body, symbol_id: id })))
    .chain(arbitraryKeyOrder)
}

/** Random decimals above zero as a bot may write them, up to 40 digits. */
export function arbitraryAmount(): fc.Arbitrary<string> {
  const whole = fc.oneof(
    { weight: 4, arbitrary: fc.bigInt(0n, 999_999n) },
    { weight: 1, arbitrary: fc.bigInt(0n, 10n ** 28n - 1n) },
  )
  const fraction = fc.string({ unit: fc.constantFrom(...Array.from("0123456789")), maxLength: 12 })
  return fc
    .tuple(whole, fraction)
    .map(([units, digits]) => (digits === "" ? `${units}` : `${units}.${digits}`))
    .filter((text) => /[1-9]/.test(text))
}

type Market = SymbolEntry["market"]

const symbols: readonly { readonly id: number; readonly market: Market }[] = [
  { id: 1, market: "perp" },
  { id: 2, market: "perp" },
  { id: 3, market: "spot" },
]

function arbitraryOrderOf(market: Market): fc.Arbitrary<Fields> {
  return fc
    .tuple(commonFields(market), fc.constantFrom(...algoOrderTypes))
    .chain(([common, algo]) =>
      fc
        .tuple(typeFields(algo), algoFields(market, algo))
        .map(([type, extra]) => ({ ...common, ...type, ...extra })),
    )
    .chain((body) => withMarketFields(body, market))
    .chain((body) => withFlags(body))
}

const algoOrderTypes = ["none", "null_tpsl", "conditional", "tpsl", "attached_tpsl"] as const
type Algo = (typeof algoOrderTypes)[number]

function commonFields(market: Market): fc.Arbitrary<Fields> {
  const perpetual = {
    position_side: fc.constantFrom("both", "long", "short"),
    margin_mode: fc.constantFrom("cross", "isolated"),
  }
  return optional(
    {
      is_buy: fc.boolean(),
      quantity: arbitraryAmount(),
      // 36 code points at most, any of them
      client_order_id: fc.string({ unit: anyCharacter, minLength: 1, maxLength: 36 }),
      stp_mode: fc.constantFrom("cancel_maker", "cancel_taker", "cancel_both", "none"),
      ...(market === "perp" ? perpetual : {}),
    },
    ["is_buy", "quantity"],
  )
}

/** What depends on the order type, which only a stand-alone tpsl may leave out. */
function typeFields(algo: Algo): fc.Arbitrary<Fields> {
  const timeInForce = fc.constantFrom("gtc", "fok", "ioc")
  const price = arbitraryAmount()
  const limit = optional({ order_type: fc.constant("limit"), price, time_in_force: timeInForce }, [
    "order_type",
    "price",
  ])
  const priceMatch = fc.constantFrom("queue_1", "queue_5", "counter_party_1", "counter_party_5")
  const matched = optional(
    { order_type: fc.constant("limit"), price_match: priceMatch, time_in_force: timeInForce },
    ["order_type", "price_match"],
  )
  const marketOrder = fc.constant({ order_type: "market" })
  const untyped = optional({ price, time_in_force: timeInForce }, [])
  return fc.oneof(limit, matched, marketOrder, ...(algo === "tpsl" ? [untyped] : []))
}

/** What is for market orders alone, where the order is one or a leg may become one. */
function withMarketFields(body: Fields, market: Market): fc.Arbitrary<Fields> {
  const tpsl = (body["tpsl"] ?? {}) as Fields
  const hasMarketLeg = ["tp", "sl"].some(
    (side) => `${side}_trigger_price` in tpsl && tpsl[`${side}_order_type`] !== "limit",
  )
  if (body["order_type"] !== "market" && !hasMarketLeg) return fc.constant(body)
  const market_order_type = fc.constantFrom(...(market === "perp" ? ["base"] : ["base", "quote"]))
  const slippage = fc.integer({ min: 1, max: 1000 }).map((units) => `0.${pad(units)}`)
  return optional({ slippage, market_order_type }, []).map((extra) => ({ ...body, ...extra }))
}

/** Ten-thousandths: 1 is the least slippage, 1000 the most. */
function pad(tenThousandths: number): string {
  return tenThousandths.toString().padStart(4, "0")
}

function algoFields(market: Market, algo: Algo): fc.Arbitrary<Fields> {
  switch (algo) {
    case "none":
      return fc.constant({})
    case "null_tpsl":
      return fc.constant({ tpsl: null })
    case "conditional":
      return fc
        .record({ trigger_price: arbitraryAmount(), trigger_by: triggerBy(market) })
        .chain(arbitraryKeyOrder)
        .map((conditional) => ({ algo_order_type: algo, conditional }))
    case "tpsl":
    case "attached_tpsl":
      return legs(market)
        .chain(arbitraryKeyOrder)
        .map((tpsl) => ({ algo_order_type: algo, tpsl }))
  }
}

function legs(market: Market): fc.Arbitrary<Fields> {
  const mode = fc.record({ tpsl_mode: fc.constantFrom("full", "partial") })
  const both = fc.tuple(mode, leg("tp", market), leg("sl", market))
  const one = fc.tuple(mode, fc.oneof(leg("tp", market), leg("sl", market)))
  return fc.oneof(both, one).map((parts) => Object.assign({}, ...parts) as Fields)
}

function leg(side: "tp" | "sl", market: Market): fc.Arbitrary<Fields> {
  const trigger = optional(
    { [`${side}_trigger_price`]: arbitraryAmount(), [`${side}_trigger_by`]: triggerBy(market) },
    [`${side}_trigger_price`],
  )
  const child = fc.oneof(
    fc.constant({}),
    fc.constant({ [`${side}_order_type`]: "market" }),
    fc.record({
      [`${side}_order_type`]: fc.constant("limit"),
      [`${side}_order_price`]: arbitraryAmount(),
    }),
  )
  return fc.tuple(trigger, child).map(([left, right]) => ({ ...left, ...right }))
}

function triggerBy(market: Market): fc.Arbitrary<string> {
  const all = ["last_price", "mark_price", "oracle_price"]
  return fc.constantFrom(...(market === "perp" ? all : ["last_price"]))
}

function withFlags(body: Fields): fc.Arbitrary<Fields> {
  const mayRest =
    body["order_type"] === "limit" && "price" in body && (body["time_in_force"] ?? "gtc") === "gtc"
  const allowed = [...(mayRest ? ["post_only"] : []), ...("tpsl" in body ? [] : ["reduce_only"])]
  const flags = fc.shuffledSubarray(allowed)
  return fc.oneof(
    fc.constant(body),
    flags.map((chosen) => ({ ...body, flags: chosen })),
  )
}

function optional(
  fields: Record<string, fc.Arbitrary<unknown>>,
  requiredKeys: readonly string[],
): fc.Arbitrary<Fields> {
  return fc.record(fields, { requiredKeys: [...requiredKeys] })
}

function arbitraryKeyOrder(fields: Fields): fc.Arbitrary<Fields> {
  const entries = Object.entries(fields)
  const { length } = entries
  return fc
    .shuffledSubarray(entries, { minLength: length, maxLength: length })
    .map((shuffled) => Object.fromEntries(shuffled))
}
