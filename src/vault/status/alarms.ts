import { alarm, type Alarm, type AlarmName } from "../../link/alarms.ts"
import type { Reason } from "../../contract/signing.ts"
import type { ActiveSet } from "../active/active-set.ts"
import type { Difference } from "../active/files-on-disk.ts"
import type { Stand } from "./views.ts"
import type { LedgerTime } from "../process/clock.ts"
import { type DiskSpace, makeRoom } from "../watch/disk-space.ts"
import { type VenueClock, venueClockWarnings } from "../watch/venue-clock.ts"
import { endAlarms, keylessAlarms } from "./end-alarms.ts"
import { hasDrifted, isAgeing, listPrices } from "./fed-prices.ts"
import { waitingHolds } from "./holds.ts"
import { budgetStands, limitShares } from "./show-metrics.ts"
import { signingNow } from "./signing.ts"
import type { StatusSources } from "./sources.ts"

/** So many fit a line of the socket, however long their names are. */
export const maxAlarms = 100

/** What there is to see to, the gravest first, and as many as fit. */
export function alarmsNow(sources: StatusSources): readonly Alarm[] {
  return gravest(alarmsOf(sources))
}

/** Everything that somebody should see to now, by the numbers of the metrics. */
export function alarmsOf(sources: StatusSources): readonly Alarm[] {
  const [set, nowMs] = [sources.active(), sources.now()]
  return [
    ...signingAlarms(sources),
    ...fillingAlarms(sources.disk, set),
    ...clockAlarms(sources.venueClock, set),
    ...priceAlarms(set, nowMs),
    ...keylessAlarms(set, nowMs),
    ...endAlarms(set, nowMs),
    ...roomAlarms(sources),
    ...fileAlarms(sources.differ(), nowMs),
    ...hostAlarms(sources.ledger),
    // Last, so that a bot that asks for much pushes nothing else away.
    ...holdAlarms(sources),
  ]
}

/** The gravest first, and as many as fit. */
export function gravest<Each extends Alarm>(alarms: readonly Each[]): readonly Each[] {
  const rank = ({ severity }: Alarm): number => (severity === "critical" ? 0 : 1)
  return alarms.toSorted((a, b) => rank(a) - rank(b)).slice(0, maxAlarms)
}

/** Of what keeps the vault from signing, those that somebody should see to. */
function signingAlarms(sources: StatusSources): readonly Alarm[] {
  return signingNow(sources).reasons.flatMap((reason) => {
    const name = alarmOf(reason)
    const { code, scope, message, fix: advice } = reason
    const what = reason.name === null ? scope : `${scope} ${reason.name}`
    const subjects: Partial<Record<AlarmName, string>> = {
      not_signing: code,
      frozen: what,
      price_stale: reason.name ?? "",
      price_unconfirmed: reason.name ?? "",
    }
    if (name === undefined) return []
    const said = { subject: subjects[name] ?? "", fact: unended(message), advice }
    return [alarm(name, { ...said, ...(name === "frozen" && frozenSince(reason, sources)) })]
  })
}

function frozenSince(
  { scope, name }: Reason,
  { active }: StatusSources,
): Pick<Alarm, "since"> | undefined {
  const freeze = active().freezes.find((each) => each.scope === scope && each.name === name)
  return freeze && { since: freeze.since }
}

/** Its message has no words that a bot wrote. Agents that end have alarms of their own, which come earlier. */
function alarmOf({ code, scope, signs }: Reason): AlarmName | undefined {
  if (code === "price_stale" || code === "price_unconfirmed") return code
  if (code === "frozen" || code === "disk_low") return code
  if (scope === "all" && ["nothing", "cancels"].includes(signs)) return "not_signing"
  return code === "clock_unsafe" ? "clock_stops_orders" : undefined
}

function unended(sentence: string): string {
  return sentence.replace(/\.$/, "")
}

/** Prices that are used, and that somebody should look at. Those that aren't are among what isn't signed. */
function priceAlarms(set: ActiveSet, nowMs: LedgerTime): readonly Alarm[] {
  return listPrices(set, nowMs).flatMap((price) => {
    const { symbol: subject, state, pending } = price
    if (state === "unconfirmed") return []
    const what = `The reference price of ${subject}`
    const advice = `countersign prices confirm ${subject} says that it is right`
    const held = `${what} moves faster than max_drift_per_minute, so it is held back`
    const far = `${what} has come half as far from its anchor as max_drift lets it`
    const old = `${what} is half as old as it may be, and what needs it will be refused unless a new one comes`
    const look = "countersign prices show tells who gave it and until when it is good"
    const ageing = alarm("price_ageing", { subject, fact: old, advice: look })
    return [
      ...(isAgeing(price, nowMs) ? [ageing] : []),
      ...(pending === null ? [] : [alarm("price_held_back", { subject, fact: held, advice })]),
      ...(hasDrifted(subject, set) ? [alarm("price_drift", { subject, fact: far, advice })] : []),
    ]
  })
}

function fillingAlarms(disk: DiskSpace, { config }: ActiveSet): readonly Alarm[] {
  const { minFreeBytes } = config
  if (minFreeBytes === 0 || (disk.freeBytes() ?? 0) >= 2 * minFreeBytes) return []
  const fact = "The ledger's disk has less than twice the room that ledger.min_free asks for"
  return [alarm("disk_filling", { subject: "", fact, advice: makeRoom })]
}

function clockAlarms(venueClock: VenueClock, set: ActiveSet): readonly Alarm[] {
  const fact = "The venue's clock and this machine's are 2 s apart or more"
  return venueClockWarnings(venueClock, set).map(({ fix: advice }) =>
    alarm("clock_off", { subject: "", fact, advice }),
  )
}

/** So long somebody may be at work on the files. */
const longestEditMs = 300_000

function fileAlarms(difference: Difference | undefined, nowMs: LedgerTime): readonly Alarm[] {
  if (difference === undefined || nowMs - difference.sinceMs < longestEditMs) return []
  const fact = "The configuration files on disk haven't been those in force for five minutes"
  const advice = `countersign status says which, and ${difference.fix} is what to do`
  return [alarm("files_differ", { subject: "", fact, advice })]
}

/** After so long a host is hardly just starting again. */
const longestSilenceMs = 300_000

/** Other hosts on the same ledger of which nothing is heard. */
function hostAlarms({ replica }: StatusSources["ledger"]): readonly Alarm[] {
  const silent = [...(replica?.silence() ?? [])].filter(([, ms]) => ms > longestSilenceMs)
  return silent.map(([subject]) => {
    const fact = `Host ${subject} has had no session with PostgreSQL for five minutes`
    const advice = "have its bots use another host, and see to it; countersign doctor says more"
    return alarm("host_silent", { subject, fact, advice })
  })
}

/** Their words are the operator's and ours, never a bot's. */
function holdAlarms(sources: StatusSources): readonly Alarm[] {
  return waitingHolds(sources).map(({ id, client, key, operation, policy, rule }) => {
    const fact = `A request waits for a person: ${operation} of ${client} with ${key}, held by ${policy}/${rule}`
    const advice = `countersign held list shows it, countersign held release ${id} lets it be signed once`
    return alarm("hold_waits", { subject: id, fact, advice })
  })
}

/** From this share on a limit is nearly spent. */
const nearlySpent = 0.8

/** Limits that are spent or nearly, and rate budgets of which no more is left than cancels may use. */
function roomAlarms(sources: StatusSources): readonly Alarm[] {
  return [
    // One that only observes refuses nothing.
    ...limitShares(sources)
      .filter(({ mode }) => mode === "enforce")
      .flatMap(({ policy, limit, share }) => limitAlarms(`${policy}/${limit}`, share)),
    ...budgetStands(sources.active(), sources.ledger.budgets).flatMap(budgetAlarms),
  ]
}

/** A limit that is spent is nearly spent too, so that each comes and goes by itself. */
function limitAlarms(subject: string, share: number): readonly Alarm[] {
  const spent = `The limit ${subject} is spent, and what counts in it is refused until some of it frees`
  const near = `At least 80 % of the limit ${subject} is used, and what goes over it will be refused`
  const advice = "countersign limits show tells how it stands"
  const raise = `${advice}, countersign limits raise gives more`
  return [
    ...(share >= 1 ? [alarm("limit_spent", { subject, fact: spent, advice: raise })] : []),
    ...(share >= nearlySpent ? [alarm("limit_nearly_spent", { subject, fact: near, advice })] : []),
  ]
}

function budgetAlarms({ scope, address, max, used, keptForCancels }: Stand): readonly Alarm[] {
  if (max - used > keptForCancels) return []
  const isIp = scope === "ip"
  const [subject, which] = isIp ? [scope, "this machine"] : [`${scope} ${address}`, address]
  const fact = `The venue's rate budget of ${which} is used up but for cancels, so orders are refused for up to a minute`
  const advice = "give bots shares of it in countersign.yaml, then countersign policy reload"
  return [alarm("budget_at_reserve", { subject, fact, advice })]
}
