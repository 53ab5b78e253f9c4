import { guardsOf, type Guard } from "./guard.ts"

const policy = "vault/policy"
const unit = `unit/${policy}`

/** How large an order, its price and its validity may be. */
export const sizingGuards: readonly Guard[] = [
  ...guardsOf(
    "vault/policy/bounds.ts",
    ["unit/vault/policy/bounds/max-quantity"],
    [
      {
        find: "if (compareDecimals(quantity, max) > 0) {",
        replace: "if (compareDecimals(quantity, max) >= 0) {",
        why: "max_quantity excludes itself",
      },
      {
        find: 'if (max === undefined) {\n      return err({ reason: "symbol_without_max", asked: name, allowed: "symbols of max_quantity"',
        replace:
          'if ((max as unknown) === null) {\n      return err({ reason: "symbol_without_max", asked: name, allowed: "symbols of max_quantity"',
        why: "a symbol without a maximum passes",
      },
      {
        find: "if (rule.maxNotional !== undefined) return ok(undefined)",
        replace: "return ok(undefined)",
        why: "quote units pass a bound in base units",
      },
    ],
  ),
  ...guardsOf(
    "vault/policy/bounds.ts",
    ["unit/vault/policy/bounds/max-quantity", "unit/vault/policy/bounds/max-notional"],
    [
      {
        find: "compareDecimals(sum.amount, sum.max) > 0",
        replace: "compareDecimals(sum.amount, sum.max) >= 0",
        why: "a sum excludes its maximum",
      },
      {
        find: "summed(amounts).find(",
        replace: "summed([]).find(",
        why: "a batch isn't summed",
      },
    ],
  ),
  ...guardsOf(
    "vault/policy/order-size.ts",
    [
      "unit/vault/policy/bounds/max-notional",
      "unit/vault/policy/bounds/max-quantity",
      "unit/vault/policy/bounds/order-size",
    ],
    [
      {
        find: 'symbol?.market === "spot" && isPlainMarketOrder(order)',
        replace: 'symbol?.market === "spot"',
        why: "quote units are taken for any spot order",
      },
    ],
  ),
  ...guardsOf(
    "vault/policy/bounds.ts",
    ["unit/vault/policy/bounds/max-notional"],
    [
      {
        find: "if (compareDecimals(amount, max) > 0) {",
        replace: "if (compareDecimals(amount, max) >= 0) {",
        why: "max_notional excludes itself",
      },
      {
        find: "if (reference === undefined) return unknown(",
        replace: "if ((reference as unknown) === null) return unknown(",
        why: "a dead feed sizes orders",
      },
      {
        find: 'bound.kind === "scalar" ? quote : String(order.symbolId)',
        replace: "String(order.symbolId)",
        why: "one maximum is had once a symbol",
      },
    ],
  ),
  ...guardsOf(
    "vault/policy/order-size.ts",
    [
      "unit/vault/policy/bounds/max-notional",
      "unit/vault/policy/bounds/max-quantity",
      "unit/vault/policy/bounds/order-size",
    ],
    [
      { find: "order.isBuy &&\n", replace: "", why: "a sell counts at its own price" },
      {
        find: "order.priceMatch === undefined &&\n    order.conditional",
        replace: "order.conditional",
        why: "a matched price counts as written",
      },
      {
        find: "mayBeMarket(judged) ? slippageOf(order) : undefined",
        replace: "undefined",
        why: "a market leg is sized without the slippage that its order says",
      },
    ],
  ),
  ...guardsOf(
    "vault/policy/order-size.ts",
    [
      "unit/vault/policy/bounds/max-notional",
      "unit/vault/policy/bounds/max-quantity",
      "unit/vault/policy/bounds/order-size",
    ],
    [
      {
        find: "compareDecimals(b.price, a.price) > 0 ? b : a",
        replace: "compareDecimals(b.price, a.price) > 0 ? a : b",
        why: "the lowest price is the worst",
      },
      {
        find: 'slippage === undefined ? err("slippage_required") : ok(slippage)',
        replace: "ok(slippage)",
        why: "a market order without slippage is sized without",
      },
    ],
  ),
  ...guardsOf(
    "vault/policy/order-size.ts",
    [`${unit}/bounds/order-cost`],
    [
      {
        find: "sumDecimals(read.parts.map((part) => partCost(read, part, sizing)))",
        replace: "partCost(read, read.parts[0]!, sizing)",
        why: "of entry and legs the entry alone loses",
      },
      {
        find: "first && maxDecimal(first, ...others)",
        replace: "first && maxDecimal(first, ...others.slice(1))",
        why: "a price that is held back costs nothing",
      },
      {
        find: "multiplyDecimals(lowest, excessOf(one, off))",
        replace: "multiplyDecimals(lowest, one)",
        why: "a market sell fills at its price",
      },
      {
        find: '=== "market" : mayBeMarket(part)) {',
        replace: '=== "market" : mayBeMarket(part) && order.slippage) {',
        why: "a market leg fills at its trigger",
      },
      {
        find: 'if (read.order.tpsl?.mode === "full") return null',
        replace: "",
        why: "a whole position is lost as one order",
      },
    ],
  ),
  ...guardsOf(
    "vault/policy/bounds.ts",
    [`${unit}/bounds/price-bounds`, "unit/vault/policy/bounds/max-quantity"],
    [
      {
        find: "compareDecimals(quantity, min) >= 0",
        replace: "compareDecimals(quantity, min) > 0",
        why: "min_quantity excludes itself",
      },
    ],
  ),
  ...guardsOf(
    "vault/policy/bounds.ts",
    [`${unit}/bounds/price-bounds`],
    [
      {
        find: "compareDecimals(slippage, max) <= 0",
        replace: "compareDecimals(slippage, max) < 0",
        why: "max_slippage excludes itself",
      },
      {
        find: "if (!mayBeMarket(part)) continue",
        replace: "continue",
        why: "no slippage is bounded",
      },
      {
        find: "part.leg === undefined ? entrySlippage(part.order, max) : legSlippage(part)",
        replace: "entrySlippage(part.order, max)",
        why: "a leg has its order's slippage",
      },
    ],
  ),
  ...guardsOf(
    "vault/policy/bounds.ts",
    [`${unit}/bounds/price-bounds`],
    [
      {
        find: "compareDecimals(distanceOf(price, reference), most) > 0",
        replace: "compareDecimals(distanceOf(price, reference), most) >= 0",
        why: "the band's edges are outside",
      },
      {
        find: "? subtractDecimals(b, a)",
        replace: "? subtractDecimals(b, b)",
        why: "a price may be as low as it likes",
      },
      {
        find: ": subtractDecimals(a, b)",
        replace: ": subtractDecimals(a, a)",
        why: "a price may be as high as it likes",
      },
      {
        find: "compareDecimals(priceMatchBand, band) <= 0",
        replace: "compareDecimals(priceMatchBand, band) < 0",
        why: "a match band as wide as the band is refused",
      },
      {
        find: ".flatMap(partPrices)",
        replace: ".slice(0, 1).flatMap(partPrices)",
        why: "legs may lie anywhere",
      },
    ],
  ),
  ...guardsOf(
    "vault/policy/try-entry.ts",
    [`${unit}/bounds/price-bounds`, `${unit}/judge`, "unit/vault/policy/match/request-matchers"],
    [
      {
        find: "request.expiresInMs <= maxMs",
        replace: "request.expiresInMs < maxMs",
        why: "max_expires_in excludes itself",
      },
      {
        find: "request.expiresInMs <= maxMs",
        replace: "!(request.expiresInMs > maxMs)",
        why: "a time that is no number passes",
      },
    ],
  ),
]
