import { Fault } from "../../std/fault.ts"
import type { AdminEntry } from "../ledger/records/admin-entry.ts"
import { hasEnded, replaceName, type Client, type KeyEntry } from "../ledger/records/bindings.ts"
import { isSameScope, type Freeze, type FreezeScope } from "../ledger/records/freeze.ts"
import { makeActiveSet, type ActiveSet } from "./active-set.ts"
import { withPrice } from "./reference-prices.ts"

/**
 * The set after an act. Acts that change no binding leave it as it is.
 *
 * @throws {Fault} `name_taken` when a key or client would take another one's place.
 */
export function applyAct(set: ActiveSet, entry: AdminEntry): ActiveSet {
  switch (entry.act) {
    case "key_added":
      assertFree(entry.key.name, [...set.keys.keys()])
      return makeActiveSet(set, [...set.keys.values(), entry.key], set.clients)
    case "key_replaced":
      return withReplacement(set, entry)
    case "agent_approved":
    case "agent_revoked":
    case "key_removed":
    case "key_targets_set":
      return withKeys(set, (key) => (key.name === entry.name ? changedKey(key, entry) : key))
    case "client_added":
    case "client_token_set":
    case "client_revoked":
      return makeActiveSet(set, [...set.keys.values()], clientsAfter(set.clients, entry))
    case "price_set":
      return Object.freeze({ ...set, prices: withPrice(set.prices, entry) })
    case "limit_raised":
      return Object.freeze({ ...set, raises: [...set.raises, entry] })
    case "set_accepted":
      return Object.freeze({ ...set, acceptedHash: entry.hash })
    case "frozen":
    case "thawed":
    case "heartbeat_armed":
    case "heartbeat_missed":
      return Object.freeze({ ...set, ...stopsAfter(set, entry) })
    case "key_exported":
    case "started":
    case "locked":
    case "unlocked":
    case "archived":
    case "backed_up":
    case "restore_accepted":
    case "clock_accepted":
    case "set_activated":
      return set
  }
}

type KeyChange = Extract<
  AdminEntry,
  { act: "agent_approved" | "agent_revoked" | "key_removed" | "key_targets_set" }
>

/** What has ended stays so: an approval is for a key that is in use, and what is removed never changes. */
function changedKey(key: KeyEntry, entry: KeyChange): KeyEntry {
  switch (entry.act) {
    case "agent_approved": {
      const { expiresAtMs, wallet = key.wallet } = entry
      return hasEnded(key) ? key : { ...key, approval: "approved", expiresAtMs, wallet }
    }
    case "agent_revoked":
      return key.approval === "removed" ? key : { ...key, approval: "revoked" }
    case "key_removed":
      return { ...key, approval: "removed" }
    case "key_targets_set":
      return { ...key, targets: entry.targets }
  }
}

function withReplacement(
  set: ActiveSet,
  { from, to }: Extract<AdminEntry, { act: "key_replaced" }>,
): ActiveSet {
  const keys = [...set.keys.values()].map((key) =>
    key.name === from && !hasEnded(key) ? { ...key, approval: "retired" as const } : key,
  )
  const clients = set.clients.map((client) => {
    const [first, ...others] = replaceName(client.keys, from, to)
    return first === undefined ? client : { ...client, keys: [first, ...others] as const }
  })
  return makeActiveSet(set, keys, clients)
}

type ClientChange = Extract<AdminEntry, { act: `client_${string}` }>

function clientsAfter(clients: readonly Client[], entry: ClientChange): readonly Client[] {
  if (entry.act === "client_added") {
    assertFree(
      entry.client.name,
      clients.map(({ name }) => name),
    )
    return [...clients, entry.client]
  }
  const tokenHash = entry.act === "client_token_set" ? entry.tokenHash : null
  return clients.map((client) => (client.name === entry.name ? { ...client, tokenHash } : client))
}

type StopEntry = Extract<AdminEntry, { act: "frozen" | "thawed" | `heartbeat_${string}` }>

function stopsAfter(
  { freezes, armed }: ActiveSet,
  entry: StopEntry,
): Partial<Pick<ActiveSet, "freezes" | "armed">> {
  switch (entry.act) {
    case "frozen":
      return { freezes: [...withoutScope(freezes, entry), freezeIn(entry)] }
    case "thawed":
      return { freezes: withoutScope(freezes, entry) }
    case "heartbeat_armed":
      return { armed: [...armed.filter((name) => name !== entry.client), entry.client] }
    case "heartbeat_missed":
      return { armed: armed.filter((name) => name !== entry.client) }
  }
}

function withoutScope(freezes: readonly Freeze[], scope: FreezeScope): readonly Freeze[] {
  return freezes.filter((freeze) => !isSameScope(freeze, scope))
}

function freezeIn(entry: Extract<AdminEntry, { act: "frozen" }>): Freeze {
  const { reason, by, cancels, sinceMs } = entry
  const rest = { reason, by, cancels, sinceMs }
  if (entry.scope === "all") return { scope: entry.scope, name: entry.name, ...rest }
  return { scope: entry.scope, name: entry.name, ...rest }
}

function withKeys(set: ActiveSet, change: (key: KeyEntry) => KeyEntry): ActiveSet {
  return makeActiveSet(set, [...set.keys.values()].map(change), set.clients)
}

function assertFree(name: string, taken: readonly string[]): void {
  if (!taken.includes(name)) return
  throw new Fault("name_taken", `The name ${name} is taken; choose another one.`)
}
