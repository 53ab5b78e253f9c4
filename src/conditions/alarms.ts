// What is wrong, by the facts that the vault tells: status, doctor, console and messages show what is derived here.

import { alarm, type Alarm, type AlarmName } from "../contract/alarms.ts"
import type { Ending, Facts } from "../contract/facts.ts"
import { spanWords } from "../std/time/time-words.ts"

/** So many are told at a time. */
export const maxAlarms = 100

/** What there is to see to, the gravest first, and no more than {@link maxAlarms}. */
export function alarmsNow(facts: Facts): readonly Alarm[] {
  return gravest(alarmsOf(facts))
}

/** Everything that somebody should see to now, by the numbers of the metrics. */
export function alarmsOf(facts: Facts): readonly Alarm[] {
  return [
    ...signingAlarms(facts),
    ...fillingAlarms(facts),
    ...clockAlarms(facts),
    ...priceAlarms(facts),
    ...accountAlarms(facts),
    ...contradictionAlarms(facts),
    ...tripAlarms(facts),
    ...keylessAlarms(facts),
    ...facts.endings.flatMap((ending) => endAlarms(ending, facts.at)),
    ...roomAlarms(facts),
    ...fileAlarms(facts),
    ...hostAlarms(facts),
    // Last, so that a bot that asks for much pushes nothing else away.
    ...holdAlarms(facts),
  ]
}

/** The gravest first, and no more than {@link maxAlarms}. */
export function gravest<Each extends Alarm>(alarms: readonly Each[]): readonly Each[] {
  const rank = ({ severity }: Alarm): number => (severity === "critical" ? 0 : 1)
  return alarms.toSorted((a, b) => rank(a) - rank(b)).slice(0, maxAlarms)
}

/** Of what keeps the vault from signing, those that somebody should see to. */
function signingAlarms({ reasons }: Facts): readonly Alarm[] {
  return reasons.flatMap((reason) => {
    const name = alarmOf(reason)
    const { code, scope, message, fix: advice, since } = reason
    const what = reason.name === null ? scope : `${scope} ${reason.name}`
    const subjects: Partial<Record<AlarmName, string>> = {
      not_signing: code,
      frozen: what,
      price_stale: reason.name ?? "",
      price_unconfirmed: reason.name ?? "",
    }
    if (name === undefined) return []
    const said = { subject: subjects[name] ?? "", fact: unended(message), advice }
    return [alarm(name, { ...said, ...(since !== null && { since }) })]
  })
}

/** Its message has no words that a bot wrote. Agents that end have alarms of their own, which come earlier. */
function alarmOf({ code, scope, signs }: Facts["reasons"][number]): AlarmName | undefined {
  if (code === "price_stale" || code === "price_unconfirmed") return code
  if (code === "frozen" || code === "disk_low") return code
  if (scope === "all" && ["nothing", "cancels"].includes(signs)) return "not_signing"
  return code === "clock_unsafe" ? "clock_stops_orders" : undefined
}

function unended(sentence: string): string {
  return sentence.replace(/\.$/, "")
}

/** Prices that are used, and that somebody should look at. Those that aren't are among what isn't signed. */
function priceAlarms({ prices }: Facts): readonly Alarm[] {
  return prices.flatMap(({ symbol: subject, is_ageing, is_held_back, has_drifted }) => {
    const what = `The reference price of ${subject}`
    const advice = `countersign prices confirm ${subject} says that it is right`
    const held = `${what} moves faster than max_drift_per_minute, so it is held back`
    const far = `${what} has come half as far from its anchor as max_drift lets it`
    const old = `${what} is half as old as it may be, and what needs it will be refused unless a new one comes`
    const look = "countersign prices show tells who gave it and until when it is good"
    return [
      ...(is_ageing ? [alarm("price_ageing", { subject, fact: old, advice: look })] : []),
      ...(is_held_back ? [alarm("price_held_back", { subject, fact: held, advice })] : []),
      ...(has_drifted ? [alarm("price_drift", { subject, fact: far, advice })] : []),
    ]
  })
}

/** Accounts of whose readings guards live, and of which none comes. */
function accountAlarms({ accounts }: Facts): readonly Alarm[] {
  const late = accounts.filter(({ is_late }) => is_late)
  return late.map(({ account: subject, unread_ms }) => {
    const fact = `The account ${subject} wasn't read for ${spanWords(unread_ms)}, so guards free no room`
    const advice =
      "look for account_poll_failed in the gate's log, or account_poll_waits in the vault's"
    return alarm("account_unread", { subject, fact, advice })
  })
}

/** So long somebody may take to look at an account, of which the next readings tell no more. */
const contradictedMs = 3_600_000

/** Accounts that somebody else trades, or that are read wrongly. */
function contradictionAlarms({ accounts, at }: Facts): readonly Alarm[] {
  return accounts.flatMap(({ account: subject, contradiction }) => {
    if (contradiction === null) return []
    const { at: since, is_open } = contradiction
    if (!is_open && at - since >= contradictedMs) return []
    const fact = `A reading of the account ${subject} showed a larger position than can come of what is signed here, so somebody else trades it, or it is read wrongly`
    const advice =
      "compare countersign limits show with the venue's own page, and account: in venue.yaml with the venue"
    return [alarm("account_contradiction", { subject, fact, advice, since })]
  })
}

/** Losses after which nothing opens. */
function tripAlarms({ trips }: Facts): readonly Alarm[] {
  return trips.map(({ guard, account, since }) => {
    const subject = `${guard} ${account}`
    const fact = `The guard ${guard} has tripped: ${account} has lost what it allows, so nothing opens a position there`
    const advice = `see what happened; countersign guards rearm ${guard} --allow 100 --reason WORDS lets it lose 100 more`
    return alarm("guard_tripped", { subject, fact, advice, since })
  })
}

function fillingAlarms({ disk: { free_bytes, min_free_bytes } }: Facts): readonly Alarm[] {
  if (min_free_bytes === 0 || (free_bytes ?? 0) >= 2 * min_free_bytes) return []
  const fact = "The ledger's disk has less than twice the room that ledger.min_free asks for"
  const advice = "make room on the disk of the state directory"
  return [alarm("disk_filling", { subject: "", fact, advice })]
}

/** From here on the vault warns of it too. */
const noticeableMs = 2_000

function clockAlarms({ venue_ahead_ms }: Facts): readonly Alarm[] {
  if (Math.abs(venue_ahead_ms) < noticeableMs) return []
  const fact = "The venue's clock and this machine's are 2 s apart or more"
  return [alarm("clock_off", { subject: "", fact, advice: "timedatectl set-ntp true" })]
}

/** Clients whose every key has ended, or is for another network: nothing of theirs is signed. */
function keylessAlarms({ keyless }: Facts): readonly Alarm[] {
  return keyless.map(({ client: subject, message, fix: advice }) =>
    alarm("client_without_keys", { subject, fact: unended(message), advice }),
  )
}

/** The graver alarm comes with less than `overMs` left, on top of the milder one. */
const endingAlarms = {
  approval: {
    soonAlarm: "agent_ends",
    overAlarm: "agent_ends_today",
    overMs: 86_400_000,
    over: "ends within a day, or has ended",
  },
  token: {
    soonAlarm: "token_ends",
    overAlarm: "token_ended",
    overMs: 1,
    over: "has ended: all that it asks for is refused, cancels too",
  },
} as const

/** Agents' approvals and clients' tokens that end within `agent_warning` unless somebody renews them, or have ended. */
function endAlarms(ending: Ending, nowMs: number): readonly Alarm[] {
  const { name: subject, what, message, fix: advice, is_soon } = ending
  const { soonAlarm, overAlarm, overMs, over } = endingAlarms[ending.of]
  const isOver = ending.at - nowMs < overMs
  return [
    ...(isOver ? [alarm(overAlarm, { subject, fact: `${what} ${over}`, advice })] : []),
    ...(is_soon ? [alarm(soonAlarm, { subject, fact: unended(message), advice })] : []),
  ]
}

/** So long somebody may be at work on the files. */
const longestEditMs = 300_000

function fileAlarms({ files_differ: differ, at }: Facts): readonly Alarm[] {
  if (differ === null || at - differ.since < longestEditMs) return []
  const fact = "The configuration files on disk haven't been those in force for five minutes"
  const advice = `countersign status says which, and ${differ.fix} is what to do`
  return [alarm("files_differ", { subject: "", fact, advice })]
}

/** After so long a host is hardly just starting again. */
const longestSilenceMs = 300_000

/** Other hosts on the same ledger of which nothing is heard. */
function hostAlarms({ hosts }: Facts): readonly Alarm[] {
  const silent = hosts.filter(({ silent_ms }) => silent_ms > longestSilenceMs)
  return silent.map(({ host: subject }) => {
    const fact = `Host ${subject} has had no session with PostgreSQL for five minutes`
    const advice = "have its bots use another host, and see to it; countersign doctor says more"
    return alarm("host_silent", { subject, fact, advice })
  })
}

/** Their words are the operator's and ours, never a bot's. */
function holdAlarms({ holds }: Facts): readonly Alarm[] {
  return holds.map(({ id, client, key, operation, policy, rule }) => {
    const fact = `A request waits for a person: ${operation} of ${client} with ${key}, held by ${policy}/${rule}`
    const advice = `countersign held list shows it, countersign held release ${id} lets it be signed once`
    return alarm("hold_waits", { subject: id, fact, advice })
  })
}

/** From this share on a limit is nearly spent. */
const nearlySpent = 0.8

/** Limits that are spent or nearly, and rate budgets of which no more is left than cancels may use. */
function roomAlarms({ limits, budgets }: Facts): readonly Alarm[] {
  return [
    // One that only observes refuses nothing.
    ...limits
      .filter(({ mode }) => mode === "enforce")
      .flatMap(({ policy, limit, share }) => limitAlarms(`${policy}/${limit}`, share)),
    ...budgets.flatMap(budgetAlarms),
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

function budgetAlarms(budget: Facts["budgets"][number]): readonly Alarm[] {
  const { scope, address, max, used, kept_for_cancels } = budget
  if (max - used > kept_for_cancels) return []
  const isIp = scope === "ip"
  const [subject, which] = isIp ? [scope, "this machine"] : [`${scope} ${address}`, address]
  const fact = `The venue's rate budget of ${which} is used up but for cancels, so orders are refused for up to a minute`
  const advice = "give bots shares of it in countersign.yaml, then countersign policy reload"
  return [alarm("budget_at_reserve", { subject, fact, advice })]
}
