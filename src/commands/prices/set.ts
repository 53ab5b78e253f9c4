import { argument } from "../cli/options.ts"
import { adminCommand } from "../installation/admin-command.ts"
import { pricesTable } from "./show.ts"

/** `countersign prices set SYMBOL VALUE` */
export const pricesSet = adminCommand({
  changes: "installation",
  description: "give a symbol its reference price",
  examples: ["countersign prices set BTC-PERP 64000"],
  options: {
    symbol: argument("<symbol>", "its name in venue.yaml"),
    value: argument("<value>", "in quote units for one base unit"),
  },
  call: (admin, { symbol, value }) => admin.call("setPrice", { symbol, value }),
  print: (price) => pricesTable([price]),
})
