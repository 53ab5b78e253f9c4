import { formatDecimal } from "../../../venue/decimal.ts"
import type { AdminEntry, PriceDrift } from "./admin-entry.ts"
import type { Client, KeyEntry } from "./bindings.ts"
import type { Act, ActRow, ClientFields, DriftFields, KeyFields } from "./row.ts"

/** An operator's act as the journal holds it. */
export function actRow(id: string, entry: AdminEntry, nowMs: number): ActRow {
  return { kind: "act", id, at_ms: nowMs, ...actOf(entry) }
}

function actOf(entry: AdminEntry): Act {
  switch (entry.act) {
    case "started":
      return { act: entry.act, policy_hash: entry.policyHash }
    case "key_added":
      return { act: entry.act, key: keyFieldsOf(entry.key) }
    case "client_added":
    case "client_set":
      return { act: entry.act, client: clientFieldsOf(entry.client) }
    case "client_token_set":
      return { act: entry.act, name: entry.name, token_hash: entry.tokenHash }
    case "agent_approved":
    case "frozen":
    case "price_set":
    case "limit_raised":
    case "set_activated":
      return standingOf(entry)
    // Asked for as they are written:
    case "asked":
    case "key_exported":
    case "key_removed":
    case "key_targets_set":
    case "key_replaced":
    case "client_revoked":
    case "agent_revoked":
    case "locked":
    case "unlocked":
    case "thawed":
    case "heartbeat_armed":
    case "heartbeat_missed":
    case "limit_raise_ended":
    case "set_accepted":
    case "archived":
    case "backed_up":
    case "restore_accepted":
    case "clock_accepted":
      return entry
  }
}

type StandingEntry = Extract<
  AdminEntry,
  { act: "agent_approved" | "frozen" | "price_set" | "limit_raised" | "set_activated" }
>

function standingOf(entry: StandingEntry): Act {
  switch (entry.act) {
    case "agent_approved": {
      const { act, name, record, expiresAtMs, wallet } = entry
      return { act, name, record, expires_at: expiresAtMs, ...(wallet !== undefined && { wallet }) }
    }
    case "frozen": {
      const { act, scope, name, reason, by, cancels, sinceMs: since } = entry
      return { act, scope, name, reason, by, cancels, since }
    }
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
    case "limit_raised": {
      const { act, limit, to, untilMs: until, reason } = entry
      return { act, limit, to: formatDecimal(to), until, reason }
    }
    case "set_activated": {
      const files = entry.files.map(({ name, text }) => ({ name, text }))
      return { act: entry.act, hash: entry.hash, files }
    }
  }
}

/** A key as it is recorded. */
export function keyFieldsOf(key: KeyEntry) {
  return {
    name: key.name,
    address: key.address,
    role: key.role,
    wallet: key.wallet,
    targets: key.targets,
    network: key.network,
    approval: key.approval,
    expires_at: key.expiresAtMs,
  } satisfies KeyFields
}

function clientFieldsOf(client: Client): ClientFields {
  return {
    name: client.name,
    token_hash: client.tokenHash,
    keys: client.keys,
    rights: client.rights,
    allow_type_b: client.allowTypeB,
    ...(client.idempotencyBy !== "header" && { idempotency_by: client.idempotencyBy }),
    ...(client.expiresAtMs !== undefined && { expires_at: client.expiresAtMs }),
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

/** Acts after which nothing may be given out that was decided before: something isn't signed any more. */
export const withdrawal =
  /^(?:frozen|limit_raise(?:d|_ended)|client_(?:set|token_set|revoked)|agent_revoked|key_(?:removed|replaced|targets_set))$/
