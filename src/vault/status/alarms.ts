import { alarm, type Alarm, type AlarmsNow } from "../../link/views/alarms.ts"
import { dayMs } from "../config/config-values.ts"
import type { Vault } from "../core/vault.ts"
import type { Stand } from "../core/views.ts"
import type { LedgerTime } from "../process/clock.ts"
import type { KeyEntry } from "../ledger/records/bindings.ts"
import { venueClockOff, venueClockWarnings } from "../watch/venue-clock.ts"
import { hasDrifted, listPrices } from "./fed-prices.ts"
import { budgetStands, limitShares } from "./room-families.ts"
import { signingState } from "./standstill.ts"

/** So many fit a line of the socket, however long their names are. */
export const maxAlarms = 100

/** What the gate asks for a webhook, if there is one. It names what `metrics` names, and no amounts. */
export function tellAlarms(vault: Vault): AlarmsNow {
  const { webhook } = vault.active().config
  if (webhook === undefined) return { webhook: null, alarms: [] }
  return { webhook, alarms: alarmsNow(vault) }
}

/** What there is to see to, the gravest first, and as many as fit. */
export function alarmsNow(vault: Vault): readonly Alarm[] {
  return gravest(alarmsOf(vault))
}

/** Everything that somebody should see to now, by the numbers of the metrics. */
export function alarmsOf(vault: Vault): readonly Alarm[] {
  return [
    ...standstillAlarms(vault),
    ...freezeAlarms(vault),
    ...diskAlarms(vault),
    ...clockAlarms(vault),
    ...keyAlarms(vault),
    ...roomAlarms(vault),
    ...priceAlarms(vault),
    ...fileAlarms(vault),
  ]
}

function gravest(alarms: readonly Alarm[]): readonly Alarm[] {
  const rank = ({ severity }: Alarm): number => (severity === "critical" ? 0 : 1)
  return alarms.toSorted((a, b) => rank(a) - rank(b)).slice(0, maxAlarms)
}

function standstillAlarms(vault: Vault): readonly Alarm[] {
  const state = signingState(vault)
  if (state === "ready") return []
  const advice =
    state === "locked"
      ? "countersign unlock loads the keys"
      : "countersign status says why, and what to do"
  return [
    alarm("not_signing", { subject: state, fact: `The vault signs nothing: ${state}`, advice }),
  ]
}

/** Without its reason, which a bot may have written. */
function freezeAlarms(vault: Pick<Vault, "active">): readonly Alarm[] {
  return vault.active().freezes.map(({ scope, name, by }) => {
    const what = name === null ? "Everything" : `The ${scope} ${name}`
    return alarm("frozen", {
      subject: name === null ? "all" : `${scope} ${name}`,
      fact: `${what} is frozen by ${by}`,
      advice: "countersign status says why, and countersign thaw ends it",
    })
  })
}

function diskAlarms(vault: Pick<Vault, "disk" | "active">): readonly Alarm[] {
  const { disk } = vault
  const { minFreeBytes } = vault.active().config
  const isFilling = minFreeBytes > 0 && (disk.freeBytes() ?? 0) < 2 * minFreeBytes
  const mend = { subject: "", advice: "make room on the disk of the state directory" }
  const filling = "The ledger's disk has less than twice the room that ledger.min_free asks for"
  const low =
    "The ledger's disk has less room than ledger.min_free asks for, so only what reduces risk is signed"
  return [
    ...(disk.low === undefined ? [] : [alarm("disk_low", { ...mend, fact: low })]),
    ...(isFilling ? [alarm("disk_filling", { ...mend, fact: filling })] : []),
  ]
}

function clockAlarms(vault: Pick<Vault, "venueClock" | "active">): readonly Alarm[] {
  const { venueClock } = vault
  const set = vault.active()
  const isOff = venueClockWarnings(venueClock, set).length > 0
  const { maxVenueOffsetMs = Infinity } = set.config
  const isStopping = venueClockOff(venueClock, maxVenueOffsetMs) !== undefined
  const mend = { subject: "", advice: "set this machine's: timedatectl set-ntp true" }
  const off = "The venue's clock and this machine's are 2 s apart or more"
  const stopping =
    "The venue's clock and this machine's are further apart than max_venue_offset, so only what reduces risk is signed"
  return [
    ...(isStopping ? [alarm("clock_stops_orders", { ...mend, fact: stopping })] : []),
    ...(isOff ? [alarm("clock_off", { ...mend, fact: off })] : []),
  ]
}

/** A symbol that never had a price isn't waited for. */
function priceAlarms(vault: Vault): readonly Alarm[] {
  return listPrices(vault).flatMap((price) => {
    const { symbol: subject, state, pending } = price
    const what = `The reference price of ${subject}`
    const advice = `countersign prices confirm ${subject} says that it is right`
    if (state === "unconfirmed") {
      const fact = `${what} waits for an operator's word, and what needs it is refused`
      return [alarm("price_unconfirmed", { subject, fact, advice })]
    }
    const stale = {
      fact: `${what} is stale, and what needs it is refused`,
      advice: `countersign prices set ${subject} gives one`,
    }
    const held = {
      fact: `${what} moves faster than max_drift_per_minute, so it is held back`,
      advice,
    }
    const far = {
      fact: `${what} has come half as far from its anchor as max_drift lets it`,
      advice,
    }
    return [
      ...(state === "stale" ? [alarm("price_stale", { subject, ...stale })] : []),
      ...(pending === null ? [] : [alarm("price_held_back", { subject, ...held })]),
      ...(hasDrifted(subject, vault.active()) ? [alarm("price_drift", { subject, ...far })] : []),
    ]
  })
}

function fileAlarms(vault: Pick<Vault, "alarm">): readonly Alarm[] {
  if (vault.alarm() === undefined) return []
  const fact = "The configuration files on disk aren't those in force"
  const advice = "countersign status says why, and countersign policy check what is wrong in them"
  return [alarm("policy_set_broken", { subject: "", fact, advice })]
}

/** Agents whose approval ends within `agent_warning`, and within a day. */
function keyAlarms(vault: Pick<Vault, "active" | "now">): readonly Alarm[] {
  const { keys, config } = vault.active()
  const nowMs = vault.now()
  return [...keys.values()].flatMap((key) => {
    const leftMs = timeLeft(key, nowMs)
    if (leftMs === undefined) return []
    const { name } = key
    const about = {
      subject: name,
      advice: `countersign agent rotate ${name} puts a successor in its place`,
    }
    return [
      ...(leftMs < dayMs ? [alarm("agent_ends_today", { ...about, fact: today(name) })] : []),
      ...(leftMs <= config.agentWarningMs
        ? [alarm("agent_ends", { ...about, fact: soon(key, nowMs + leftMs) })]
        : []),
    ]
  })
}

function timeLeft(
  { role, approval, expiresAtMs }: KeyEntry,
  nowMs: LedgerTime,
): number | undefined {
  if (role !== "agent" || approval !== "approved" || expiresAtMs === null) return undefined
  return expiresAtMs - nowMs
}

function today(name: string): string {
  return `The approval of the agent key ${name} ends within a day, or has ended`
}

function soon({ name }: KeyEntry, endMs: number): string {
  return `The approval of the agent key ${name} ends on ${new Date(endMs).toISOString().slice(0, 10)}`
}

/** From this share on a limit is nearly spent. */
const nearlySpent = 0.8

/** Limits that are spent or nearly, and rate budgets of which no more is left than cancels may use. */
function roomAlarms(vault: Vault): readonly Alarm[] {
  return [
    // One that only observes refuses nothing.
    ...limitShares(vault)
      .filter(({ mode }) => mode === "enforce")
      .flatMap(({ policy, limit, share }) => limitAlarms(`${policy}/${limit}`, share)),
    ...budgetStands(vault).flatMap(budgetAlarms),
  ]
}

/** A limit that is spent is nearly spent too, so that each comes and goes by itself. */
function limitAlarms(subject: string, share: number): readonly Alarm[] {
  const spent = {
    subject,
    fact: `The limit ${subject} is spent, and what counts in it is refused until some of it frees`,
    advice: "countersign limits show tells how it stands, countersign limits raise gives more",
  }
  const nearly = {
    subject,
    fact: `At least 80 % of the limit ${subject} is used, and what goes over it will be refused`,
    advice: "countersign limits show tells how it stands",
  }
  return [
    ...(share >= 1 ? [alarm("limit_spent", spent)] : []),
    ...(share >= nearlySpent ? [alarm("limit_nearly_spent", nearly)] : []),
  ]
}

function budgetAlarms({ scope, address, max, used, keptForCancels }: Stand): readonly Alarm[] {
  if (max - used > keptForCancels) return []
  const which = scope === "ip" ? "this machine" : address
  return [
    alarm("budget_at_reserve", {
      subject: scope === "ip" ? scope : `${scope} ${address}`,
      fact: `The venue's rate budget of ${which} is used up but for cancels, so orders are refused for up to a minute`,
      advice: "give bots shares of it in countersign.yaml, then countersign policy reload",
    }),
  ]
}
