import { formatDecimal } from "../../venue/decimal.ts"
import type { Client, KeyEntry } from "../bindings.ts"
import { isSetting } from "./act-kind.ts"
import type { AdminEntry } from "./ledger.ts"
import type { Act, ActRow, ClientFields, KeyFields } from "./row.ts"

/** An operator's act as the journal holds it. */
export function actRow(id: string, entry: AdminEntry, nowMs: number): ActRow {
  const act = isSetting(entry) ? settingOf(entry) : bindingOf(entry)
  return { kind: "act", id, at_ms: nowMs, ...act }
}

type SettingEntry = Extract<AdminEntry, { act: `${"price" | "limit" | "set"}_${string}` }>

function bindingOf(entry: Exclude<AdminEntry, SettingEntry>): Act {
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
  }
}
