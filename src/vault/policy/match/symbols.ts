import { symbolText, symbolsOf } from "../judged/judged-order.ts"
import { symbolRef } from "../values/scalars.ts"
import { listMatcher } from "./matcher.ts"

export const symbols = listMatcher({
  key: "symbols",
  written: "names, or ids",
  meaning: "Symbols of the order, by their names in venue.yaml or by their ids.",
  example: ["BTC-PERP", "ETH-PERP"],
  reason: "symbol_not_allowed",
  item: symbolRef,
  read: symbolsOf,
  text: symbolText,
})
