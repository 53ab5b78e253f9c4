import type { PriceView } from "../../link/views/views.ts"
import { table, type Line } from "../cli/print.ts"
import { adminCommand } from "../installation/admin-command.ts"
import { utcText } from "../../std/time/time-words.ts"

/** `countersign prices show` */
export const pricesShow = adminCommand({
  description: "show the reference prices and how fresh they are",
  examples: ["countersign prices show"],
  call: (admin) => admin.call("listPrices", {}),
  print: pricesTable,
})

/** Prices in columns, for people. */
export function pricesTable(prices: readonly PriceView[]): readonly Line[] {
  if (prices.length === 0) return ["venue.yaml lists no symbols."]
  const rows = prices.map((price) => [
    price.symbol,
    price.value ?? "-",
    price.state,
    price.pending ?? "-",
    price.anchor ?? "-",
    price.by ?? "-",
    price.good_until === null ? "-" : utcText(price.good_until),
  ])
  return [table(["SYMBOL", "PRICE", "STATE", "PENDING", "ANCHOR", "BY", "GOOD UNTIL"], rows)]
}
