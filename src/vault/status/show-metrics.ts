import { type MetricFamily, ownFamilies } from "../../link/metrics.ts"
import { version } from "../../std/version.ts"
import { keyFamilies } from "./key-families.ts"
import type { StatusSources } from "./sources.ts"
import type { PriceView, LimitUse } from "../../contract/bot-views.ts"
import { flag, gauge, gauges, maxNamedSeries } from "../metrics/vault-metrics.ts"
import { isPriceUsable, listPrices } from "./fed-prices.ts"
import { ledgerBytes } from "./watch-disk.ts"
import type { Address } from "../../venue/address.ts"
import type { ActiveSet } from "../active/active-set.ts"
import { type BudgetScope, nobody } from "../budgets/budget.ts"
import type { Budgets } from "../budgets/budgets.ts"
import type { Stand } from "./views.ts"
import { termsOf } from "../request/spending.ts"
import { listLimits } from "./limit-use.ts"

/** The vault's half of `GET /metrics`. */
export async function showMetrics(sources: StatusSources): Promise<readonly MetricFamily[]> {
  const { decisions, stages, loopDelay } = sources.metrics
  return [
    decisions.family(),
    stages.family(),
    ...sources.ledger.commits.families(),
    ...roomFamilies(sources),
    ...keyFamilies(sources),
    ...(await placeFamilies(sources)),
    ...ownFamilies("vault", { version, delay: loopDelay() }),
  ]
}

/** What the vault depends on besides its keys: files, disk, clock, prices, people. */
async function placeFamilies(sources: StatusSources): Promise<readonly MetricFamily[]> {
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

/** How much room limits and the venue's rate budgets leave. */
function roomFamilies(sources: StatusSources): readonly MetricFamily[] {
  const stands = budgetStands(sources.active(), sources.ledger.budgets)
  return [limitFamily(limitShares(sources)), ...budgetFamilies(stands)]
}

/** How much of a limit is used, 1 being all. */
type LimitShare = Pick<LimitUse, "policy" | "limit" | "mode"> & { readonly share: number }

/** A limit that is counted for many stands by the one that has used most of it; the fullest first. */
export function limitShares(sources: StatusSources): readonly LimitShare[] {
  const most = new Map<string, LimitShare>()
  for (const use of listLimits(sources)) {
    const { policy, limit, mode } = use
    const name = [policy, limit, mode].join("/")
    const share = usedShare(use)
    if (share >= (most.get(name)?.share ?? 0)) most.set(name, { policy, limit, mode, share })
  }
  return fullest([...most.values()], ({ share }) => share)
}

function limitFamily(shares: readonly LimitShare[]): MetricFamily {
  return gauges(
    {
      name: "countersign_limit_used_ratio",
      help: "Share of a limit that is used, 1 being all, by whoever has used most of it.",
      labels: ["policy", "limit", "mode"],
    },
    shares.map(({ policy, limit, mode, share }) => [[policy, limit, mode], share]),
  )
}

/** What of a limit is used, 1 being all; of a limit of nothing all is used. */
export function usedShare({ used, max }: LimitUse): number {
  return Number(max) === 0 ? 1 : Number(used) / Number(max)
}

/** Those of a key's address and targets, and the IP's; but for those that are off. */
export function budgetStands(set: ActiveSet, budgets: Budgets): readonly Stand[] {
  const stand = (scope: BudgetScope, address: Address | undefined): readonly Stand[] => {
    const terms = termsOf(scope, address, set)
    if (terms === undefined) return []
    const { keptForCancels } = terms
    const counted = budgets.stand(nobody, terms, address)
    const shares = [...terms.keptFor].map(([client, kept]) => {
      return { client, kept, used: budgets.stand(client, terms, address).own }
    })
    return [{ ...counted, scope, address: address ?? "", keptForCancels, shares }]
  }
  const ofAddresses = addressesOf(set).flatMap((address) => stand("address", address))
  return [...stand("ip", undefined), ...fullest(ofAddresses, ({ used }) => used)]
}

function addressesOf({ usableKeys }: ActiveSet): readonly Address[] {
  const using = [...usableKeys.values()]
  return [...new Set(using.flatMap(({ address, targets }) => [address, ...targets]))]
}

function budgetFamilies(stands: readonly Stand[]): readonly MetricFamily[] {
  const family = (name: string, help: string, valueOf: (stand: Stand) => number): MetricFamily =>
    gauges(
      { name, help, labels: ["scope", "address"] },
      stands.map((stand) => [[stand.scope, stand.address], valueOf(stand)]),
    )
  return [
    family(
      "countersign_budget_max_weight",
      "What requests may weigh in a minute by the venue's rate budget.",
      ({ max }) => max,
    ),
    family(
      "countersign_budget_used_weight",
      "What requests of the last minute weighed against the rate budget.",
      ({ used }) => used,
    ),
    family(
      "countersign_budget_cancel_reserve_weight",
      "What of the rate budget only requests that reduce risk may use.",
      ({ keptForCancels }) => keptForCancels,
    ),
  ]
}

/** Those with the least room first, and no more than 100. */
export function fullest<Each>(all: readonly Each[], used: (each: Each) => number): readonly Each[] {
  return all.toSorted((a, b) => used(b) - used(a)).slice(0, maxNamedSeries)
}
