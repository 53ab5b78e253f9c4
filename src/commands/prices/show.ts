import type { Command } from "commander"

import type { PriceView } from "../../link/views.ts"
import {
  command,
  runs,
  withExamples,
  withInstallation,
  withJson,
  type InstallationOptions,
} from "../command.ts"
import { print, table, type Printing } from "../print.ts"
import { withAdmin } from "../with-vault.ts"

/** `countersign prices show` */
export function pricesShow(): Command {
  const made = withJson(
    withInstallation(command("show", "show the reference prices and how fresh they are")),
  )
  withExamples(made, "countersign prices show")
  return runs<InstallationOptions & Printing>(made, async (options) => {
    const prices = await withAdmin(options, (admin) => admin.call("listPrices", {}))
    print(prices, options, pricesTable)
  })
}

/** Prices in columns, for people. */
export function pricesTable(prices: readonly PriceView[]): readonly string[] {
  if (prices.length === 0) return ["venue.yaml lists no symbols."]
  const rows = prices.map((price) => [
    price.symbol,
    price.value ?? "-",
    price.state,
    price.by ?? "-",
    price.good_until === null ? "-" : new Date(price.good_until).toISOString(),
  ])
  return table(["SYMBOL", "PRICE", "STATE", "BY", "GOOD UNTIL"], rows)
}
