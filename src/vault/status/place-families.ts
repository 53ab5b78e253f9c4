import type { MetricFamily } from "../../link/metrics.ts"
import type { PriceView } from "../../contract/bot-views.ts"
import { flag, gauge, gauges, maxNamedSeries } from "../metrics/vault-metrics.ts"
import { isPriceUsable, listPrices } from "./fed-prices.ts"
import { ledgerBytes } from "./ledger-bytes.ts"
import type { StatusSources } from "./sources.ts"

/** What the vault depends on besides its keys: files, disk, clock, prices, people. */
export async function placeFamilies(sources: StatusSources): Promise<readonly MetricFamily[]> {
  const { disk, ledger, venueClock, installation } = sources
  const [set, nowMs] = [sources.active(), sources.now()]
  const pending = ledger.holds(nowMs).filter(({ state }) => state === "pending")
  return [
    gauge(
      "countersign_files_differ",
      "1 while the files on disk aren't those in force.",
      flag(sources.differ() !== undefined),
    ),
    gauge("countersign_holds_pending", "Requests that wait for a person.", pending.length),
    gauge(
      "countersign_disk_free_bytes",
      "Room on the disk of the state directory, as of the last look.",
      disk.freeBytes(),
    ),
    gauge(
      "countersign_disk_min_free_bytes",
      "Below this room only what reduces risk is signed.",
      set.config.minFreeBytes,
    ),
    gauge(
      "countersign_ledger_size_bytes",
      "Size of the ledger's file and its log.",
      await ledgerBytes(installation),
    ),
    gauge(
      "countersign_venue_clock_offset_seconds",
      "How far the venue's clock is ahead for certain; negative where it is behind.",
      venueClock.aheadMs() / 1_000,
    ),
    ...priceFamilies(listPrices(set, nowMs)),
  ]
}

/** A symbol that never had a price isn't waited for. */
function priceFamilies(prices: readonly PriceView[]): readonly MetricFamily[] {
  const priced = prices
    .filter(({ state }) => state !== "none")
    .toSorted((a, b) => Number(isPriceUsable(a)) - Number(isPriceUsable(b)))
    .slice(0, maxNamedSeries)
  return [
    gauges(
      {
        name: "countersign_reference_price_usable",
        help: "0 for a reference price that is stale or waits for an operator.",
        labels: ["symbol"],
      },
      priced.map((price) => [[price.symbol], flag(isPriceUsable(price))]),
    ),
    gauges(
      {
        name: "countersign_reference_price_timestamp_seconds",
        help: "When a reference price was given.",
        labels: ["symbol"],
      },
      priced.map(({ symbol, as_of: asOfMs }) => [[symbol], (asOfMs ?? 0) / 1_000]),
    ),
  ]
}
