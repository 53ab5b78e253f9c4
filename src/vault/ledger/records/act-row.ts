import { formatDecimal } from "../../../venue/decimal.ts"
import type { AdminEntry, Archived, PriceDrift, SafetyEntry } from "./admin-entry.ts"
import type { Client, KeyEntry } from "./bindings.ts"
import type { Act, ActRow, ArchivedFields, ClientFields, DriftFields, KeyFields } from "./row.ts"

/** An operator's act as the journal holds it. */
export function actRow(id: string, entry: AdminEntry, nowMs: number): ActRow {
  if (entry.act === "archived") {
    return { kind: "act", id, at_ms: nowMs, act: entry.act, ...archivedFieldsOf(entry) }
  }
  return { kind: "act", id, at_ms: nowMs, ...actOf(entry) }
}

function actOf(entry: Exclude<AdminEntry, { act: "archived" }>): Act {
  if (isSafety(entry)) return safetyOf(entry)
  if (isStop(entry)) return stopOf(entry)
  return isSetting(entry) ? settingOf(entry) : bindingOf(entry)
}

type SettingEntry = Extract<AdminEntry, { act: `${"price" | "limit" | "set"}_${string}` }>

type BindingEntry = Exclude<AdminEntry, SettingEntry | { act: "archived" | SafetyName | StopName }>

function bindingOf(entry: BindingEntry): Act {
  switch (entry.act) {
    case "started":
      return { act: entry.act, policy_hash: entry.policyHash }
    case "key_added":
      return { act: entry.act, key: keyFieldsOf(entry.key) }
    case "key_exported":
      return { act: entry.act, name: entry.name }
    case "key_removed":
    case "client_revoked":
      return { act: entry.act, name: entry.name }
    case "key_targets_set":
      return { act: entry.act, name: entry.name, targets: entry.targets }
    case "key_replaced":
      return { act: entry.act, from: entry.from, to: entry.to }
    case "client_added":
      return { act: entry.act, client: clientFieldsOf(entry.client) }
    case "client_token_set":
      return { act: entry.act, name: entry.name, token_hash: entry.tokenHash }
    case "locked":
      return { act: entry.act, by: entry.by }
    case "unlocked":
      return { act: entry.act }
    case "agent_approved":
      return {
        act: entry.act,
        name: entry.name,
        expires_at: entry.expiresAtMs,
        record: entry.record,
        ...(entry.wallet !== undefined && { wallet: entry.wallet }),
      }
    case "agent_revoked":
      return { act: entry.act, name: entry.name, record: entry.record }
  }
}

function stopOf(entry: Extract<AdminEntry, { act: StopName }>): Act {
  switch (entry.act) {
    case "frozen": {
      const { act, scope, name, reason, by, cancels, sinceMs: since } = entry
      return { act, scope, name, reason, by, cancels, since }
    }
    case "thawed":
      return { act: entry.act, scope: entry.scope, name: entry.name }
    case "heartbeat_armed":
    case "heartbeat_missed":
      return { act: entry.act, client: entry.client }
  }
}

function settingOf(entry: SettingEntry): Act {
  switch (entry.act) {
    case "price_set":
      return {
        act: entry.act,
        symbol_id: entry.symbolId,
        value: formatDecimal(entry.value),
        as_of: entry.asOfMs,
        by: entry.by,
        confirmed: entry.confirmed,
        drift: driftFields(entry.drift),
      }
    case "limit_raised":
      return {
        act: entry.act,
        limit: entry.limit,
        to: formatDecimal(entry.to),
        until: entry.untilMs,
        reason: entry.reason,
      }
    case "set_activated":
      return {
        act: entry.act,
        hash: entry.hash,
        files: entry.files.map(({ name, text }) => ({ name, text })),
      }
    case "set_accepted":
      return { act: entry.act, hash: entry.hash }
  }
}

function safetyOf(entry: SafetyEntry): Act {
  switch (entry.act) {
    case "backed_up":
      return { act: entry.act, head_seq: entry.headSeq, head_hash: entry.headHash }
    case "restore_accepted": {
      const signers = entry.signers.map(({ signer, nonce }) => ({ signer, nonce }))
      return { act: entry.act, ledger: entry.ledger, signers }
    }
    case "clock_accepted":
      return { act: entry.act }
  }
}

function archivedFieldsOf(archived: Archived): ArchivedFields {
  return {
    file: archived.file,
    sha256: archived.sha256,
    first_seq: archived.firstSeq,
    last_seq: archived.lastSeq,
    last_hash: archived.lastHash,
    from_ms: archived.fromMs,
    to_ms: archived.toMs,
  }
}

function keyFieldsOf(key: KeyEntry): KeyFields {
  return {
    name: key.name,
    address: key.address,
    role: key.role,
    wallet: key.wallet,
    targets: key.targets,
    network: key.network,
    approval: key.approval,
    expires_at: key.expiresAtMs,
  }
}

function clientFieldsOf(client: Client): ClientFields {
  return {
    name: client.name,
    token_hash: client.tokenHash,
    keys: client.keys,
    rights: client.rights,
    allow_type_b: client.allowTypeB,
    ...(client.idempotencyBy !== "header" && { idempotency_by: client.idempotencyBy }),
  }
}

function driftFields(drift: PriceDrift | undefined): DriftFields | null {
  if (drift === undefined) return null
  const { anchor, allowance, held } = drift
  return {
    anchor: formatDecimal(anchor.value),
    anchor_at: anchor.atMs,
    allowance: allowance.toString(),
    held:
      held === undefined ? null : { value: formatDecimal(held.value), by: held.by, at: held.atMs },
  }
}

const settingNames = ["price_set", "limit_raised", "set_activated", "set_accepted"] as const
const holdNames = ["hold_opened", "hold_released", "hold_refused"] as const

const safetyNames = ["backed_up", "restore_accepted", "clock_accepted"] as const
const stopNames = ["frozen", "thawed", "heartbeat_armed", "heartbeat_missed"] as const

type Named = { readonly act: string }
type SettingName = (typeof settingNames)[number]
type HoldName = (typeof holdNames)[number]
export type StopName = (typeof stopNames)[number]
/** What operators do about copies of the ledger and about the clock. */
export type SafetyName = (typeof safetyNames)[number]

/** Whether an act sets a price, raises a limit or is about a set of files. */
export function isSetting<Act extends Named>(
  act: Act,
): act is Extract<Act, { readonly act: SettingName }> {
  return settingNames.some((name) => name === act.act)
}

/** Whether an act is about a request that waits for a person. */
export function isAboutHold<Act extends Named>(
  act: Act,
): act is Extract<Act, { readonly act: HoldName }> {
  return holdNames.some((name) => name === act.act)
}

/** Whether an act is about a copy of the ledger or about the clock. */
export function isSafety<Act extends Named>(
  act: Act,
): act is Extract<Act, { readonly act: SafetyName }> {
  return safetyNames.some((name) => name === act.act)
}

/** Whether an act is about a freeze, or a client whose silence makes one. */
export function isStop<Act extends Named>(
  act: Act,
): act is Extract<Act, { readonly act: StopName }> {
  return stopNames.some((name) => name === act.act)
}
