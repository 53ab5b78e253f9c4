import type { Commits, FleetMeasures, LimitShare, Measures } from "../contract/facts.ts"
import { signsSchema } from "../contract/signing.ts"
import { entryBounds, waitBoundsSeconds, workBoundsSeconds } from "../std/histogram.ts"
import { accountFamilies } from "./account-families.ts"
import { flag, gauge, gauges, type MetricFamily, ownFamilies, timing } from "./metric-family.ts"

/** The vault's half of `GET /metrics`. */
export function vaultFamilies(measures: Measures): readonly MetricFamily[] {
  return [
    ...requestFamilies(measures),
    ...commitFamilies(measures.commits),
    limitFamily(measures.limits),
    ...budgetFamilies(measures.budgets),
    ...accountFamilies(measures),
    ...signingFamilies(measures),
    frozenFamily(measures),
    ...familiesOfKeys(measures),
    ...clientFamilies(measures),
    ...placeFamilies(measures),
    ...priceFamilies(measures.prices),
    ...ownFamilies("vault", measures.process),
  ]
}

function requestFamilies({ decisions, stages }: Measures): readonly MetricFamily[] {
  return [
    {
      name: "countersign_decisions_total",
      help: "Requests to sign that were decided.",
      type: "counter",
      labels: ["client", "operation", "result", "reason"],
      series: decisions,
    },
    {
      name: "countersign_sign_stage_duration_seconds",
      help: "Time that requests to sign spent in each stage of the vault.",
      type: "histogram",
      labels: ["stage"],
      bounds: workBoundsSeconds,
      series: Object.entries(stages).map(([stage, observed]) => [[stage], observed]),
    },
  ]
}

function commitFamilies({ seconds, entries, waited, fleet }: Commits): readonly MetricFamily[] {
  const duration = {
    name: "countersign_ledger_commit_duration_seconds",
    help: "Time from handing a batch to the ledger's thread until it is durable.",
  }
  const carried = {
    name: "countersign_ledger_commit_entries",
    help: "Entries that shared a commit.",
  }
  return [
    timing(duration, workBoundsSeconds, seconds),
    timing(carried, entryBounds, entries),
    gauge(
      "countersign_ledger_commit_waiting_seconds",
      "How long the commit at work has taken by now; 0 where none is.",
      waited,
    ),
    ...(fleet === undefined ? [] : fleetFamilies(fleet)),
  ]
}

/** What one of several hosts tells of its turns, and of the others. */
export function fleetFamilies(fleet: FleetMeasures): readonly MetricFamily[] {
  const named = (name: string, help: string) => ({ name: `countersign_ledger_${name}`, help })
  const waits = named("turn_wait_seconds", "Time from asking for a turn to its start.")
  const holds = named("turn_hold_seconds", "Time from then until it is given on.")
  const heard = named("host_heard_timestamp_seconds", "When another host spoke last.")
  return [
    timing(waits, waitBoundsSeconds, fleet.turn_waits),
    timing(holds, waitBoundsSeconds, fleet.turn_holds),
    gauge("countersign_ledger_head_entry", "The last entry that this host has.", fleet.head),
    gauges(
      { ...heard, labels: ["host"] },
      fleet.heard.map(([host, at]) => [[host], at]),
    ),
  ]
}

function signingFamilies({ signs, reasons }: Measures): readonly MetricFamily[] {
  const what = {
    name: "countersign_signs",
    help: "1 for what the vault signs now.",
    labels: ["what"],
  }
  const why = {
    name: "countersign_signing_reason",
    help: "1 for each reason that the vault doesn't sign all, with what of its scope is still signed.",
    labels: ["code", "scope", "name", "signs"],
  }
  return [
    gauges(
      what,
      signsSchema.options.map((each) => [[each], flag(each === signs)]),
    ),
    gauges(
      why,
      reasons.map((each) => [[each.code, each.scope, each.name ?? "", each.signs], 1]),
    ),
  ]
}

/** With what is told of all, as many as of all else that an operator names. */
const mostSingle = 99

/** Whether all is frozen is told in any case, so that nobody takes silence for an answer. */
function frozenFamily({ frozen }: Measures): MetricFamily {
  const single = frozen.filter(({ name }) => name !== null)
  const isAllFrozen = single.length < frozen.length
  const help = "1 for what is frozen: all, a client or a key."
  return gauges({ name: "countersign_frozen", help, labels: ["scope", "name"] }, [
    [["all", ""], flag(isAllFrozen)],
    ...single.slice(0, mostSingle).map(({ scope, name }) => [[scope, name ?? ""], 1] as const),
  ])
}

function familiesOfKeys({ keys }: Measures): readonly MetricFamily[] {
  return [
    gauges(
      {
        name: "countersign_key_info",
        help: "A key that is held, with what is known of the venue's approval.",
        labels: ["key", "role", "approval"],
      },
      keys.map(({ name, role, approval }) => [[name, role, approval], 1]),
    ),
    gauges(
      {
        name: "countersign_key_locked",
        help: "1 for a key that has to be unlocked before it signs.",
        labels: ["key"],
      },
      keys.map(({ name, locked }) => [[name], flag(locked)]),
    ),
    gauges(
      {
        name: "countersign_agent_approval_end_timestamp_seconds",
        help: "When the venue's approval of an agent key ends, as computed here.",
        labels: ["key"],
      },
      keys.flatMap(({ name, expires_at }) =>
        expires_at === null ? [] : [[[name], expires_at / 1_000] as const],
      ),
    ),
  ]
}

function clientFamilies({ tokens, keyless }: Measures): readonly MetricFamily[] {
  return [
    gauges(
      {
        name: "countersign_token_end_timestamp_seconds",
        help: "When a client's token expires.",
        labels: ["client"],
      },
      tokens.map(({ client, ends_at }) => [[client], ends_at / 1_000]),
    ),
    gauges(
      {
        name: "countersign_client_without_keys",
        help: "1 for a client without a key that signs.",
        labels: ["client"],
      },
      keyless.map((client) => [[client], 1]),
    ),
  ]
}

/** What the vault depends on besides its keys: files, disk, clock, people. */
function placeFamilies(measures: Measures): readonly MetricFamily[] {
  const { files_differ, holds_pending, disk, ledger_bytes, venue_ahead_ms } = measures
  return [
    gauge(
      "countersign_files_differ",
      "1 while the files on disk aren't those in force.",
      flag(files_differ),
    ),
    gauge("countersign_holds_pending", "Requests that wait for a person.", holds_pending),
    gauge(
      "countersign_disk_free_bytes",
      "Room on the disk of the state directory, as of the last look.",
      disk.free_bytes,
    ),
    gauge(
      "countersign_disk_min_free_bytes",
      "Below this room only what reduces risk is signed.",
      disk.min_free_bytes,
    ),
    gauge("countersign_ledger_size_bytes", "Size of the ledger's file and its log.", ledger_bytes),
    gauge(
      "countersign_venue_clock_offset_seconds",
      "How far the venue's clock is ahead for certain; negative where it is behind.",
      venue_ahead_ms / 1_000,
    ),
  ]
}

function priceFamilies(prices: Measures["prices"]): readonly MetricFamily[] {
  return [
    gauges(
      {
        name: "countersign_reference_price_usable",
        help: "0 for a reference price that is stale or waits for an operator.",
        labels: ["symbol"],
      },
      prices.map(({ symbol, is_usable }) => [[symbol], flag(is_usable)]),
    ),
    gauges(
      {
        name: "countersign_reference_price_timestamp_seconds",
        help: "When a reference price was given.",
        labels: ["symbol"],
      },
      prices.map(({ symbol, as_of }) => [[symbol], as_of / 1_000]),
    ),
  ]
}

function limitFamily(limits: readonly LimitShare[]): MetricFamily {
  return gauges(
    {
      name: "countersign_limit_used_ratio",
      help: "Share of a limit that is used, 1 being all, by whoever has used most of it.",
      labels: ["policy", "limit", "mode"],
    },
    limits.map(({ policy, limit, mode, share }) => [[policy, limit, mode], share]),
  )
}

type Budget = Measures["budgets"][number]

function budgetFamilies(budgets: readonly Budget[]): readonly MetricFamily[] {
  const family = (name: string, help: string, valueOf: (budget: Budget) => number): MetricFamily =>
    gauges(
      { name, help, labels: ["scope", "address"] },
      budgets.map((budget) => [[budget.scope, budget.address ?? ""], valueOf(budget)]),
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
      ({ kept_for_cancels }) => kept_for_cancels,
    ),
  ]
}
