import { Fault } from "../../std/fault.ts"
import type { Marks } from "../guards/equity.ts"
import type { Client, KeyEntry } from "./records/bindings.ts"
import { isSameScope, type Freeze } from "./records/freeze.ts"
import { readMarks, type GuardState, type MarksFields } from "./records/guard-rows.ts"
import { readPrice, type Price, type PriceFields } from "./records/prices.ts"
import type { Act, Acts, Raise } from "./records/row.ts"
import type { StandingFields } from "./records/standing.ts"

/** What operators, feeds and accepted requests said: everything besides the files that decisions depend on. */
export type Bindings = Standing & {
  readonly keys: ReadonlyMap<string, KeyEntry>
  readonly clients: readonly Client[]
}

/** What of it changes from minute to minute, so it isn't part of a set's hash. */
export type Standing = {
  /** The last price that was fed for each symbol, confirmed or not; the latest last. */
  readonly prices: ReadonlyMap<number, Price>
  /** Limits that are raised for a while, each once; those whose time has passed may still be in it. */
  readonly raises: readonly Raise[]
  /** The files that a person accepted last, by `policyHash`. */
  readonly acceptedHash: string | undefined
  /** Those that nobody thawed. */
  readonly freezes: readonly Freeze[]
  /** Clients whose silence counts, for they were heard and weren't missed since. */
  readonly armed: readonly string[]
  /** From what losses are counted, by account. */
  readonly marks: ReadonlyMap<string, Marks>
  /** Guards that tripped, or were allowed more for a while. */
  readonly guards: readonly GuardState[]
}

/** What the ledger's fields say. What has not changed since it was read last is the very same again. */
export function bindingsOf(standing: StandingFields): Bindings {
  return {
    keys: standing.keys,
    clients: listOf(standing.clients),
    prices: pricesIn(standing.prices),
    raises: listOf(standing.raises),
    acceptedHash: standing.accepted.values().next().value?.hash,
    freezes: listOf(standing.freezes),
    armed: armedIn(standing.armed),
    marks: marksIn(standing.marks),
    guards: listOf(standing.guards),
  }
}

const lists = once((part: ReadonlyMap<string, unknown>) => [...part.values()])
const listOf = <Entry>(part: ReadonlyMap<string, Entry>) => lists(part) as readonly Entry[]
const armedIn = once((part: ReadonlyMap<string, unknown>) => [...part.keys()])
const marksOf = once(readMarks)
const marksIn = once(
  (part: ReadonlyMap<string, MarksFields>): ReadonlyMap<string, Marks> =>
    new Map(part.entries().map(([account, fields]) => [account, marksOf(fields)])),
)
const priceOf = once(readPrice)
const pricesIn = once(
  (part: ReadonlyMap<string, PriceFields>): ReadonlyMap<number, Price> =>
    new Map(part.values().map((fields) => [fields.symbol_id, priceOf(fields)])),
)

/** Made once of each, for as long as it is the same. */
function once<In extends object, Out>(make: (from: In) => Out): (from: In) => Out {
  const made = new WeakMap<In, { readonly out: Out }>()
  return (from) => {
    const known = made.get(from) ?? { out: make(from) }
    made.set(from, known)
    return known.out
  }
}

/** Refuses an act that was made of what was changed since it was asked for, by another host too. @throws {Fault} `usage`. */
export function assertAsSeen(entry: Act, seen: Bindings, now: Bindings): void {
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
function madeOf(entry: Act, now: Bindings): readonly unknown[] {
  const { act } = entry
  if (act === "thawed") return [now.freezes.find((each) => isSameScope(each, entry))]
  return act === "price_set"
    ? [now.clients, now.prices.get(entry.symbol_id)]
    : madeOfClients(entry, now)
}

function madeOfClients(entry: Act, { keys, clients }: Bindings): readonly unknown[] {
  const { act } = entry
  if (act === "client_set") return [clients, keys]
  if (act === "client_token_set")
    return [clients.find(({ name }) => name === entry.name)?.token_hash]
  if (act !== "key_replaced") return []
  return [clients, keys.get(entry.from)?.approval, keys.get(entry.to)?.approval]
}

type About = { readonly what: "key" | "client"; readonly name: string; readonly isNew?: true }

const aKey = ({ name }: { readonly name: string }): readonly About[] => [{ what: "key", name }]
const aClient = ({ name }: { readonly name: string }): readonly About[] => [
  { what: "client", name },
]

/** Which keys and clients an act is about by name. Not an export, which may be of one that only the key store knows. */
const about: {
  readonly [Name in Act["act"]]?: (entry: Acts[Name]) => readonly About[]
} = {
  key_added: ({ key: { name } }) => [{ what: "key", name, isNew: true }],
  client_added: ({ client: { name } }) => [{ what: "client", name, isNew: true }],
  ...{ agent_approved: aKey, agent_revoked: aKey, key_removed: aKey, key_targets_set: aKey },
  key_replaced: ({ from, to }) => [from, to].flatMap((name) => aKey({ name })),
  client_set: ({ client }) => aClient(client),
  ...{ client_token_set: aClient, client_revoked: aClient },
}

/**
 * Refuses an act that adds a name which is taken, also for good, or that is about one which isn't there.
 *
 * @throws {Fault} `name_taken`, `name_unknown`.
 */
export function assertNames(entry: Act, { keys, clients }: Bindings): void {
  const find = about[entry.act] as ((of: Act) => readonly About[]) | undefined // its own
  for (const { what, name, isNew } of find?.(entry) ?? []) {
    const isThere = what === "key" ? keys.has(name) : clients.some((each) => each.name === name)
    if (isThere !== (isNew ?? false)) continue
    throw isThere ? taken(what, name) : unknown(what, name)
  }
}

function taken(what: About["what"], name: string): Fault {
  const message = `There is a ${what} named ${name} already; choose another name.`
  return new Fault("name_taken", message)
}

function unknown(what: About["what"], name: string): Fault {
  const message = `The ledger has no ${what} named ${name}; countersign ${what}s list shows them.`
  return new Fault("name_unknown", message)
}
