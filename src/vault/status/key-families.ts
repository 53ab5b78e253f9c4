import type { MetricFamily } from "../../link/metrics.ts"
import type { Signing } from "../../contract/signing.ts"
import type { ActiveSet } from "../active/active-set.ts"
import type { KeyLocks } from "../keyring/keyring.ts"
import type { KeyEntry } from "../ledger/records/bindings.ts"
import { flag, gauges, maxNamedSeries } from "../metrics/vault-metrics.ts"
import { keylessClients } from "./end-alarms.ts"
import { headings, signingNow } from "./signing.ts"
import type { StatusSources } from "./sources.ts"

/** What the vault signs, what can sign, until when, and what is stopped. Keys that have ended aren't in it. */
export function keyFamilies(sources: StatusSources): readonly MetricFamily[] {
  const set = sources.active()
  return [
    ...signingFamilies(signingNow(sources)),
    frozenFamily(set),
    ...familiesOfKeys(keysOf(set), sources.keyring),
    tokenFamily(set),
    keylessFamily(set, sources.now()),
  ]
}

function signingFamilies({ signs, reasons }: Signing): readonly MetricFamily[] {
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
      Object.keys(headings).map((each) => [[each], flag(each === signs)]),
    ),
    gauges(
      why,
      reasons.map((each) => [[each.code, each.scope, each.name ?? "", each.signs], 1]),
    ),
  ]
}

/** Whether all is frozen is told in any case, so that nobody takes silence for an answer. */
function frozenFamily({ freezes }: ActiveSet): MetricFamily {
  const single = freezes.filter(({ name }) => name !== null)
  const isAllFrozen = single.length < freezes.length
  const series = [
    [["all", ""], flag(isAllFrozen)] as const,
    ...single.map(({ scope, name }) => [[scope, name ?? ""], 1] as const),
  ]
  const help = "1 for what is frozen: all, a client or a key."
  return gauges(
    { name: "countersign_frozen", help, labels: ["scope", "name"] },
    series.slice(0, maxNamedSeries),
  )
}

function familiesOfKeys(keys: readonly KeyEntry[], keyring: KeyLocks): readonly MetricFamily[] {
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
      keys.map(({ name }) => [[name], flag(keyring.isLocked(name))]),
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

/** Of the tokens that do end; those first that end first. */
function tokenFamily({ clients }: ActiveSet): MetricFamily {
  const series = clients.flatMap(({ name, token_hash: tokenHash, expires_at: endMs }) =>
    tokenHash === null || endMs === undefined ? [] : [[[name], endMs / 1_000] as const],
  )
  const help = "When a client's token expires."
  return gauges(
    { name: "countersign_token_end_timestamp_seconds", help, labels: ["client"] },
    series.toSorted(([, a], [, b]) => a - b).slice(0, maxNamedSeries),
  )
}

function keylessFamily(set: ActiveSet, nowMs: number): MetricFamily {
  const series = keylessClients(set, nowMs).map((name) => [[name], 1] as const)
  const help = "1 for a client without a key that signs."
  return gauges(
    { name: "countersign_client_without_keys", help, labels: ["client"] },
    series.slice(0, maxNamedSeries),
  )
}

/** Those first that end first. */
function keysOf(set: ActiveSet): readonly KeyEntry[] {
  const end = ({ expires_at }: KeyEntry): number => expires_at ?? Number.MAX_VALUE
  return [...set.usableKeys.values()].toSorted((a, b) => end(a) - end(b)).slice(0, maxNamedSeries)
}
