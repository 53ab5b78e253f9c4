import { followPath } from "../../sandbox/market/follow-path.ts"
import { paperProfile } from "../../sandbox/profile.ts"
import type { MarketSymbol } from "../../sandbox/state/market.ts"
import { writeNewFile } from "../../std/private-file.ts"
import { shellWord } from "../../std/visible.ts"
import { pathsOf, type Installation } from "../../vault/config/installation.ts"
import { loadFiles } from "../../vault/config/load-files.ts"
import { formatDecimal } from "../../venue/decimal.ts"
import { dialAdmin } from "../installation/admin.ts"

/** Between two looks at the daemon's prices. */
const lookMs = 1_000

/** What an installation trades, at the prices that its daemon has, for as long as `close` isn't called. */
export async function openPaperMarket(installation: Installation) {
  const { profile } = await loadFiles(installation)
  const daemon = await dialAdmin(installation)
  const prices = new Map<string, string>()
  const look = async (): Promise<void> => {
    const told = (await daemon?.call("listPrices", {})) ?? []
    for (const { symbol, value } of told) if (value !== null) prices.set(symbol, value)
  }
  for (const { name, referencePrice: price } of profile.symbols.byId.values()) {
    if (price !== undefined) prices.set(name, formatDecimal(price.value))
  }
  await look()
  // While the daemon is away the prices stay as they are.
  const looking = setInterval(() => void look().catch(() => undefined), lookMs).unref()
  const symbols = [...profile.symbols.byId.values()].flatMap(
    ({ id, name, market, quote }): readonly MarketSymbol[] => {
      const referencePrice = prices.get(name)
      return referencePrice === undefined ? [] : [{ id, name, market, quote, referencePrice }]
    },
  )
  return {
    symbols,
    unpriced: [...profile.symbols.byName.keys()].filter((name) => !prices.has(name)),
    path: followPath(({ name, referencePrice }) => prices.get(name) ?? referencePrice),
    close(): void {
      clearInterval(looking)
      daemon?.close()
    },
  }
}

/** Writes venue-paper.yaml where there is none, and says how to go on. */
export async function writePaperVenue(
  url: string,
  installation: Installation,
): Promise<readonly string[]> {
  const { paperFile } = pathsOf(installation)
  const isNew = await writeNewFile(paperFile, paperProfile(url))
  return [
    `${shellWord(paperFile)} ${isNew ? "is written" : "was there, and stays as it is"}. Beside the daemon:`,
    ...(isNew ? ["countersign policy reload"] : []),
    "countersign clients add NAME --paper --keys KEY   # an agent key of yours",
  ]
}
