import { Fault } from "../../std/fault.ts"
import type { Address } from "../../venue/address.ts"
import { isSafety, isSetting, isStop } from "./records/act-row.ts"
import {
  raisesEndedBy,
  type AdminEntry,
  type Raise,
  type StoredPrice,
} from "./records/admin-entry.ts"
import { hasEnded, replaceName, type Client, type KeyEntry } from "./records/bindings.ts"
import { isSameScope, type Freeze } from "./records/freeze.ts"
import { readClient, readKey } from "./records/read-bindings.ts"
import { readFreeze, readPrice, readRaise } from "./records/read-settings.ts"
import type { ActRow } from "./records/row.ts"
import type { OpenedState } from "./store/store.ts"

/** What operators, feeds and accepted requests said: everything besides the files that decisions depend on. */
export type Bindings = Standing & {
  readonly keys: ReadonlyMap<string, KeyEntry>
  readonly clients: readonly Client[]
}

/** What of it changes from minute to minute, so it isn't part of a set's hash. */
export type Standing = {
  readonly prices: FedPrices
  /** Limits that are raised for a while, each once; those whose time has passed may still be in it. */
  readonly raises: readonly Raise[]
  /** The files that a person accepted last, by `policyHash`. */
  readonly acceptedHash: string | undefined
  /** Those that nobody thawed. */
  readonly freezes: readonly Freeze[]
  /** Clients whose silence counts, for they were heard and weren't missed since. */
  readonly armed: readonly string[]
}

/** The last price that was fed for each symbol, confirmed or not; the latest last. */
export type FedPrices = ReadonlyMap<number, StoredPrice>

/** The bindings that were durable when a ledger was opened. */
export function storedBindings(state: OpenedState): Bindings {
  return {
    keys: new Map(state.keys.map(readKey).map((key) => [key.name, key])),
    clients: state.clients.map(readClient),
    prices: state.prices.map(readPrice).reduce(withPrice, new Map<number, StoredPrice>()),
    raises: state.raises.map(readRaise),
    acceptedHash: state.acceptedHash,
    freezes: state.freezes.map(readFreeze),
    armed: state.armed,
  }
}

/** An act that isn't about a hold. */
type BindingRow = Exclude<ActRow, { readonly act: `hold_${string}` }>

/** The bindings after an act, as the journal holds it. Those that change none leave them as they are. */
export function followAct(bindings: Bindings, row: BindingRow): Bindings {
  if (isSafety(row)) return bindings
  switch (row.act) {
    case "key_added":
      return withKeys(bindings, [...bindings.keys.values(), readKey(row.key)])
    case "key_replaced":
      return withReplacement(bindings, row)
    case "agent_approved":
    case "agent_revoked":
    case "key_removed":
    case "key_targets_set":
      return withKeyChange(bindings, row)
    case "client_added":
      return { ...bindings, clients: [...bindings.clients, readClient(row.client)] }
    case "client_set":
      return withClient(bindings, row.client.name, readClient(row.client))
    case "client_token_set":
      return withClient(bindings, row.name, { tokenHash: row.token_hash })
    case "client_revoked":
      return withClient(bindings, row.name, { tokenHash: null })
    case "price_set":
    case "limit_raised":
    case "limit_raise_ended":
    case "set_accepted":
    case "frozen":
    case "thawed":
    case "heartbeat_armed":
    case "heartbeat_missed":
      return { ...bindings, ...standingAfter(bindings, row) }
    case "started":
    case "asked":
    case "key_exported":
    case "locked":
    case "unlocked":
    case "set_activated":
    case "archived":
      return bindings
  }
}

type StandingRow = Extract<
  ActRow,
  {
    act: "price_set" | "set_accepted" | "frozen" | "thawed" | `${"limit" | "heartbeat"}_${string}`
  }
>

function standingAfter(standing: Standing, row: StandingRow): Partial<Standing> {
  const { prices, raises, freezes, armed } = standing
  switch (row.act) {
    case "price_set":
      return { prices: withPrice(prices, readPrice(row)) }
    case "limit_raised":
      return { raises: [...withoutRaise(raises, row.limit), readRaise(row)] }
    case "limit_raise_ended":
      return { raises: withoutRaise(raises, row.limit) }
    case "set_accepted":
      return { acceptedHash: row.hash }
    case "frozen":
      return { freezes: [...withoutScope(freezes, row), readFreeze(row)] }
    case "thawed":
      return { freezes: withoutScope(freezes, row) }
    case "heartbeat_armed":
      return { armed: [...armed.filter((name) => name !== row.client), row.client] }
    case "heartbeat_missed":
      return { armed: armed.filter((name) => name !== row.client) }
  }
}

type KeyChange = Extract<
  ActRow,
  { act: "agent_approved" | "agent_revoked" | "key_removed" | "key_targets_set" }
>

function withKeyChange(bindings: Bindings, row: KeyChange): Bindings {
  const after = (key: KeyEntry): KeyEntry => (key.name === row.name ? changed(key, row) : key)
  return withKeys(bindings, [...bindings.keys.values()].map(after))
}

/** What has ended stays so: an approval is for a key that is in use, and what is removed never changes. */
function changed(key: KeyEntry, row: KeyChange): KeyEntry {
  switch (row.act) {
    case "agent_approved": {
      const { expires_at: expiresAtMs, wallet = key.wallet } = row
      return hasEnded(key) ? key : { ...key, approval: "approved", expiresAtMs, wallet }
    }
    case "agent_revoked":
      return key.approval === "removed" ? key : { ...key, approval: "revoked" }
    case "key_removed":
      return { ...key, approval: "removed" }
    case "key_targets_set":
      return { ...key, targets: row.targets as readonly Address[] } // written from ones
  }
}

function withReplacement(
  bindings: Bindings,
  { from, to }: Extract<ActRow, { act: "key_replaced" }>,
): Bindings {
  const keys = [...bindings.keys.values()].map((key) =>
    key.name === from && !hasEnded(key) ? { ...key, approval: "retired" as const } : key,
  )
  const clients = bindings.clients.map((client) => {
    const [first, ...others] = replaceName(client.keys, from, to)
    return first === undefined ? client : { ...client, keys: [first, ...others] as const }
  })
  return withKeys({ ...bindings, clients }, keys)
}

function withKeys(bindings: Bindings, keys: readonly KeyEntry[]): Bindings {
  return { ...bindings, keys: new Map(keys.map((key) => [key.name, key])) }
}

function withClient(bindings: Bindings, name: string, to: Partial<Client>): Bindings {
  const set = (client: Client): Client => (client.name === name ? { ...client, ...to } : client)
  return { ...bindings, clients: bindings.clients.map(set) }
}

function withPrice(prices: FedPrices, price: StoredPrice): FedPrices {
  const others = new Map(prices)
  others.delete(price.symbolId)
  return others.set(price.symbolId, price)
}

function withoutRaise(raises: readonly Raise[], limit: string): readonly Raise[] {
  return raises.filter((raise) => !raisesEndedBy(limit).includes(raise.limit))
}

function withoutScope(
  freezes: readonly Freeze[],
  { scope, name }: { readonly scope: string; readonly name: string | null },
): readonly Freeze[] {
  return freezes.filter((freeze) => freeze.scope !== scope || freeze.name !== name)
}

/** Refuses an act that was made of what was changed since it was asked for, by another host too. @throws {Fault} `usage`. */
export function assertAsSeen(entry: AdminEntry, seen: Bindings, now: Bindings): void {
  const then = madeOf(entry, seen)
  if (madeOf(entry, now).every((each, index) => each === then[index])) return
  throw new Fault("usage", changedMeanwhile)
}

const changedMeanwhile = "Something was changed meanwhile; look at it and ask again."

/** Whether it was refused for that. */
export function wasChanged(error: unknown): boolean {
  return error instanceof Fault && error.message === changedMeanwhile
}

/** Of acts that say how something is by how it was: what that was. What else is queued with them leaves it alone. */
function madeOf(entry: AdminEntry, now: Bindings): readonly unknown[] {
  const { act } = entry
  if (act === "thawed") return [now.freezes.find((each) => isSameScope(each, entry))]
  return act === "price_set"
    ? [now.clients, now.prices.get(entry.symbolId)]
    : madeOfClients(entry, now)
}

function madeOfClients(entry: AdminEntry, { keys, clients }: Bindings): readonly unknown[] {
  const { act } = entry
  if (act === "client_set") return [clients, keys]
  if (act === "client_token_set")
    return [clients.find(({ name }) => name === entry.name)?.tokenHash]
  if (act !== "key_replaced") return []
  return [clients, keys.get(entry.from)?.approval, keys.get(entry.to)?.approval]
}

/** Whoever freezes what is frozen takes away no stop: where cancels are stopped, they stay so until an operator thaws. */
export function keepStops(entry: AdminEntry, { freezes }: Bindings): AdminEntry {
  if (entry.act !== "frozen") return entry
  const earlier = freezes.find((each) => isSameScope(each, entry))
  return { ...entry, cancels: entry.cancels && earlier?.cancels !== false }
}

/**
 * Refuses an act that adds a name which is taken, also for good, or that is about one which isn't there.
 *
 * @throws {Fault} `name_taken`, `name_unknown`.
 */
export function assertNames(entry: AdminEntry, { keys, clients }: Bindings): void {
  if (isSetting(entry) || isSafety(entry) || isStop(entry)) return
  const isClient = (name: string): boolean => clients.some((client) => client.name === name)
  switch (entry.act) {
    case "key_added":
      assertFree("key", entry.key.name, keys.has(entry.key.name))
      break
    case "client_added":
      assertFree("client", entry.client.name, isClient(entry.client.name))
      break
    case "agent_approved":
    case "agent_revoked":
    case "key_removed":
    case "key_targets_set":
      assertKnown("key", entry.name, keys.has(entry.name))
      break
    case "key_replaced":
      assertKnown("key", entry.from, keys.has(entry.from))
      assertKnown("key", entry.to, keys.has(entry.to))
      break
    case "client_set":
      assertKnown("client", entry.client.name, isClient(entry.client.name))
      break
    case "client_token_set":
    case "client_revoked":
      assertKnown("client", entry.name, isClient(entry.name))
      break
    case "key_exported": // is recorded even of a key that only the key store knows
    case "started":
    case "asked":
    case "locked":
    case "unlocked":
    case "archived":
      break
  }
}

function assertFree(what: "key" | "client", name: string, isTaken: boolean): void {
  if (!isTaken) return
  throw new Fault("name_taken", `There is a ${what} named ${name} already; choose another name.`)
}

function assertKnown(what: "key" | "client", name: string, isKnown: boolean): void {
  if (isKnown) return
  throw new Fault(
    "name_unknown",
    `The ledger has no ${what} named ${name}; countersign ${what}s list shows them.`,
  )
}
