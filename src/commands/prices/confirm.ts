import { Fault } from "../../std/fault.ts"
import { flag, words } from "../cli/options.ts"
import { adminCommand } from "../installation/admin-command.ts"
import { pricesTable } from "./show.ts"

/** `countersign prices confirm [SYMBOL…|--all]` */
export const pricesConfirm = adminCommand({
  description: "confirm the prices that were fed last; the next are measured from them",
  examples: ["countersign prices confirm BTC-PERP", "countersign prices confirm --all"],
  options: {
    symbols: words("[symbols...]", "their names in venue.yaml"),
    all: flag("--all", "every price that waits or is held back"),
  },
  call: (admin, { symbols, all }) => {
    if (all === symbols.length > 0) {
      throw new Fault("usage", "Name the symbols whose prices are right, or give --all.")
    }
    return admin.call("confirmPrices", all ? {} : { symbols: [...symbols] })
  },
  print: (prices) => (prices.length === 0 ? ["No price waits."] : pricesTable(prices)),
})
