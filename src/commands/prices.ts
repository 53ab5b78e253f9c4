import type { PriceView } from "../contract/bot-views.ts"
import { Fault } from "../std/fault.ts"
import { utcText } from "../std/time/time-words.ts"
import { argument, flag, words } from "./cli/command.ts"
import { table, shownText, tell, type Line } from "./cli/print.ts"
import { confirmDeed, type Terminal } from "./cli/terminal.ts"
import { adminCommand } from "./installation/installation-command.ts"
import type { Admin } from "./installation/admin.ts"

/** `countersign prices show` */
export const pricesShow = adminCommand({
  description: "show the reference prices and how fresh they are",
  examples: ["countersign prices show"],
  call: (admin) => admin.call("listPrices", {}),
  print: pricesTable,
})

/** Prices in columns, for people. */
function pricesTable(prices: readonly PriceView[]): readonly Line[] {
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

/** `countersign prices confirm SYMBOL=VALUE…`, each as it was shown; without values it shows them and asks. */
export const pricesConfirm = adminCommand({
  description: "confirm the prices that were fed last; the next are measured from them",
  notes:
    "A price that isn't the one that was shown any more is refused, and with it all that are named.",
  examples: ["countersign prices confirm BTC-PERP=64000", "countersign prices confirm --all"],
  options: {
    prices: words("[prices...]", "SYMBOL=VALUE as shown; a symbol alone is shown and asked about"),
    all: flag("--all", "show every price that waits or is held back, and ask"),
  },
  call: async (admin, { prices: given, all }, terminal) => {
    if (all === given.length > 0) {
      throw new Fault(
        "usage",
        "Name the prices that are right, like BTC-PERP=64000, or give --all.",
      )
    }
    const bare = given.filter((each) => !each.includes("="))
    const valued = given.filter((each) => each.includes("=")).map(splitPrice)
    const asked =
      all || bare.length > 0 ? await agreedTo({ all, symbols: bare }, admin, terminal) : []
    const prices = [...valued, ...asked]
    return prices.length === 0 ? [] : admin.call("confirmPrices", { prices })
  },
  print: (prices) => (prices.length === 0 ? ["No price waits."] : pricesTable(prices)),
})

type Shown = { readonly symbol: string; readonly value: string }

function splitPrice(given: string): Shown {
  const [symbol = "", ...value] = given.split("=")
  return { symbol, value: value.join("=") }
}

/** The values of the table that is shown, once a person has agreed to it. */
async function agreedTo(
  { all, symbols }: { readonly all: boolean; readonly symbols: readonly string[] },
  admin: Pick<Admin, "call">,
  terminal: Terminal,
): Promise<readonly Shown[]> {
  const listed = await admin.call("listPrices", {})
  const prices = all
    ? listed.filter(({ pending }) => pending !== null)
    : symbols.map((name) => priceOf(name, listed))
  if (prices.length === 0) return []
  const shown = prices.map(({ symbol, value, pending }) => {
    const last = pending ?? value
    if (last !== null) return { symbol, value: last }
    throw new Fault("usage", `${symbol} has no price; countersign prices set gives it one.`)
  })
  const words = shown.map(({ symbol, value }) => `${symbol}=${value}`).join(" ")
  terminal.prompts.assertCanAsk(
    `name each price as you saw it, if it is right: countersign prices confirm ${words}`,
  )
  tell(terminal, shownText(pricesTable(prices), terminal))
  await confirmDeed(terminal, `Are these right: ${words}?`)
  return shown
}

function priceOf(name: string, listed: readonly PriceView[]): PriceView {
  const price = listed.find(({ symbol }) => symbol === name)
  if (price !== undefined) return price
  throw new Fault("name_unknown", `venue.yaml's symbols have no ${name}; add it there first.`)
}
