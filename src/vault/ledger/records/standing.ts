import * as z from "zod"

import { clientSchema, hasEnded, keySchema, type Client, type KeyEntry } from "./bindings.ts"
import { text } from "./fields.ts"
import { freezeSchema, type Freeze, type FreezeScope } from "./freeze.ts"
import { endOf, grantSchema, type Grant } from "./hold.ts"
import {
  guardStateName,
  guardStateSchema,
  marksSchema,
  type GuardState,
  type MarksFields,
} from "./guard-rows.ts"
import { priceSchema, type PriceFields } from "./prices.ts"
import { raiseSchema, type ActRow, type Raise, type RequestRow, type RowOf } from "./row.ts"

/** What stands because acts said so, each part by name and in the order in which it was added. */
export type StandingFields = {
  readonly keys: ReadonlyMap<string, KeyEntry>
  readonly clients: ReadonlyMap<string, Client>
  readonly prices: ReadonlyMap<string, PriceFields>
  readonly raises: ReadonlyMap<string, Raise>
  readonly freezes: ReadonlyMap<string, Freeze>
  /** Clients whose silence counts. */
  readonly armed: ReadonlyMap<string, { readonly client: string }>
  /** The files that a person accepted last; one at most. */
  readonly accepted: ReadonlyMap<string, { readonly hash: string }>
  /** From what losses are counted, by account. */
  readonly marks: ReadonlyMap<string, MarksFields>
  /** Guards that tripped, or were allowed more. */
  readonly guards: ReadonlyMap<string, GuardState>
  /** By hold; those that ended last among them. */
  readonly grants: ReadonlyMap<string, Grant>
}

/** Of each part, what an entry of it is. */
export const standingSchemas: Readonly<Record<keyof StandingFields, z.ZodType>> = {
  ...{ keys: keySchema, clients: clientSchema, prices: priceSchema, raises: raiseSchema },
  freezes: freezeSchema,
  armed: z.object({ client: text }),
  accepted: z.object({ hash: text }),
  ...{ marks: marksSchema, guards: guardStateSchema, grants: grantSchema },
}

export type Part = keyof StandingFields

type Fields<Of extends Part> =
  StandingFields[Of] extends ReadonlyMap<string, infer Value> ? Value : never

/** `add`: last of its part, where there is none of the name. `set`: in its place. `end`: it stands no more. */
export type Change = {
  [Of in Part]: { readonly part: Of; readonly name: string } & (
    { readonly to: "add" | "set"; readonly value: Fields<Of> } | { readonly to: "end" }
  )
}[Part]

export const nothingStands: StandingFields = {
  keys: new Map(),
  clients: new Map(),
  prices: new Map(),
  raises: new Map(),
  freezes: new Map(),
  armed: new Map(),
  accepted: new Map(),
  marks: new Map(),
  guards: new Map(),
  grants: new Map(),
}

/** What an act changes of what stands, or a request that uses a grant: in memory, in the ledger's table, and where a journal is read again. */
export function changesOf(row: ActRow | RequestRow, standing: StandingFields): readonly Change[] {
  if (row.kind === "request") return usedGrant(row, standing)
  const made = changes[row.act] as (of: ActRow, before: StandingFields) => readonly Change[] // its own
  return [...endedGrants(row, standing), ...made(row, standing)]
}

const nothing = (): readonly Change[] => []

const changes: {
  readonly [Name in ActRow["act"]]: (row: RowOf<Name>, before: StandingFields) => readonly Change[]
} = {
  key_added: ({ key }) => [{ part: "keys", name: key.name, to: "add", value: key }],
  key_removed: ({ name }, before) => keyChange(before, name, () => ({ approval: "removed" })),
  key_targets_set: ({ name, targets }, before) => keyChange(before, name, () => ({ targets })),
  // What has ended stays so: an approval is for a key that is in use, and what is removed never changes.
  agent_approved: (row, before) =>
    keyChange(before, row.name, (key) => {
      const { expires_at, wallet = key.wallet } = row
      return hasEnded(key) ? {} : { approval: "approved", expires_at, wallet }
    }),
  agent_revoked: ({ name }, before) =>
    keyChange(before, name, ({ approval }) =>
      approval === "removed" ? {} : { approval: "revoked" },
    ),
  key_replaced: ({ from, to }, before) => [
    ...keyChange(before, from, (key) => (hasEnded(key) ? {} : { approval: "retired" })),
    ...[...before.clients.keys()].flatMap((name) =>
      clientChange(before, name, ({ keys }) => ({ keys: replaceName(keys, from, to) })),
    ),
  ],
  client_added: ({ client }) => [{ part: "clients", name: client.name, to: "add", value: client }],
  client_set: ({ client }) => [{ part: "clients", name: client.name, to: "set", value: client }],
  client_token_set: ({ name, token_hash }, before) =>
    clientChange(before, name, () => ({ token_hash })),
  client_revoked: ({ name }, before) => clientChange(before, name, () => ({ token_hash: null })),
  price_set: (row) =>
    anew({ part: "prices", name: `${row.symbol_id}`, to: "add", value: priceSchema.parse(row) }),
  limit_raised: (row) => [
    ...raiseEnds(row.limit),
    { part: "raises", name: row.limit, to: "add", value: raiseSchema.parse(row) },
  ],
  limit_raise_ended: ({ limit }) => raiseEnds(limit),
  account_marked: (row, { guards }) => [
    ...anew({ part: "marks", name: row.account, to: "add", value: marksSchema.parse(row) }),
    ...(row.anchored ? [...guards] : [])
      .filter(([, { account }]) => account === row.account)
      .map(([name]) => ({ part: "guards", name, to: "end" }) as const),
  ],
  guard_tripped: guardStands,
  guard_rearmed: guardStands,
  set_accepted: ({ hash }) => anew({ part: "accepted", name: "files", to: "add", value: { hash } }),
  frozen: (row) =>
    anew({ part: "freezes", name: scopeName(row), to: "add", value: freezeSchema.parse(row) }),
  thawed: (scope) => [{ part: "freezes", name: scopeName(scope), to: "end" }],
  heartbeat_armed: ({ client }) =>
    anew({ part: "armed", name: client, to: "add", value: { client } }),
  heartbeat_missed: ({ client }) => [{ part: "armed", name: client, to: "end" }],
  ...{ started: nothing, asked: nothing, locked: nothing, unlocked: nothing },
  ...{ hold_opened: nothing, hold_released: nothing, hold_refused: nothing, grant_ended: nothing },
  hold_granted: (row, { grants }) => [
    ...[...grants]
      .filter(([, grant]) => endOf(grant, row.at_ms) !== undefined)
      .slice(0, -maxEndedGrants)
      .map(([name]) => ({ part: "grants", name, to: "end" }) as const),
    { part: "grants", name: row.hold, to: "add", value: grantSchema.parse(row) },
  ],
  ...{ key_exported: nothing, set_activated: nothing, archived: nothing, backed_up: nothing },
  // Nobody knows what was lost in the part that is missing.
  restore_accepted: (_, { marks }) =>
    [...marks].map(([name, value]) => {
      return { part: "marks", name, to: "set", value: { ...value, mapping: "restored" } }
    }),
  clock_accepted: nothing,
}

/** So many that ended stay, so that who asks is told why. */
const maxEndedGrants = 50

/** Acts that end grants for good, and which. */
const grantEnds: {
  readonly [Name in ActRow["act"]]?: (row: RowOf<Name>, grant: Grant) => boolean
} = {
  grant_ended: (row, { hold }) => row.hold === hold,
  set_activated: ({ hash }, { policy_hash }) => hash !== policy_hash,
  client_token_set: ({ name }, { client }) => name === client,
  client_revoked: ({ name }, { client }) => name === client,
  agent_revoked: ({ name }, { key }) => name === key,
  key_removed: ({ name }, { key }) => name === key,
  key_replaced: ({ from }, { key }) => from === key,
  frozen: ({ scope, name }, grant) => scope === "all" || name === grant[scope],
  // Nobody knows how much of it was used in the part that is missing.
  restore_accepted: () => true,
}

function endedGrants(row: ActRow, { grants }: StandingFields): readonly Change[] {
  const ends = grantEnds[row.act] as ((of: ActRow, grant: Grant) => boolean) | undefined // its own
  if (ends === undefined) return []
  return [...grants]
    .filter(([, grant]) => endOf(grant, row.at_ms) === undefined && ends(row, grant))
    .map(([name, grant]) => {
      return { part: "grants", name, to: "set", value: { ...grant, ended: row.act } }
    })
}

/** As UNIQUE does for a nonce: what was used of a grant already is refused by the ledger itself. */
function usedGrant({ grant: left }: RequestRow, { grants }: StandingFields): readonly Change[] {
  if (left === undefined) return []
  const grant = grants.get(left.hold)
  if (grant?.times_left !== left.times_left + 1) throw new Error("a grant was used twice")
  return [{ part: "grants", name: left.hold, to: "set", value: { ...grant, ...left } }]
}

/** What stands after the changes. What they leave alone is the very same as before. */
export function withChanges(standing: StandingFields, changes: readonly Change[]): StandingFields {
  return changes.reduce((before, change) => {
    const part = new Map<string, unknown>(before[change.part])
    if (change.to === "end") part.delete(change.name)
    else part.set(change.name, change.value)
    return { ...before, [change.part]: part }
  }, standing)
}

function keyChange(
  { keys }: StandingFields,
  name: string,
  changed: (key: KeyEntry) => Partial<KeyEntry>,
): readonly Change[] {
  const key = keys.get(name)
  if (key === undefined) return []
  return [{ part: "keys", name, to: "set", value: { ...key, ...changed(key) } }]
}

function clientChange(
  { clients }: StandingFields,
  name: string,
  changed: (client: Client) => Partial<Client>,
): readonly Change[] {
  const client = clients.get(name)
  if (client === undefined) return []
  return [{ part: "clients", name, to: "set", value: { ...client, ...changed(client) } }]
}

/** A list with `to` where `from` stood; a name stands in it once. */
function replaceName(keys: Client["keys"], from: string, to: string): Client["keys"] {
  const [first = to, ...others] = new Set(keys.map((name) => (name === from ? to : name)))
  return [first, ...others]
}

/** The later one comes last. */
function anew(change: Change & { readonly to: "add" }): readonly Change[] {
  return [{ part: change.part, name: change.name, to: "end" }, change]
}

/** A raise ends the one of its limit; in ledgers of older versions that may be named without its policy. */
function raiseEnds(limit: string): readonly Change[] {
  return [limit, limit.slice(limit.indexOf("/") + 1)].map((name) => ({
    ...({ part: "raises", to: "end" } as const),
    name,
  }))
}

function guardStands(row: GuardState): readonly Change[] {
  const value = guardStateSchema.parse(row)
  return anew({ part: "guards", name: guardStateName(row), to: "add", value })
}

function scopeName({ scope, name }: FreezeScope): string {
  return `${scope} ${name ?? ""}`
}

/** Acts after which nothing may be given out that was decided before: something isn't signed any more. */
export const withdrawal =
  /^(?:frozen|limit_raise(?:d|_ended)|client_(?:set|token_set|revoked)|guard_tripped|grant_ended|agent_revoked|key_(?:removed|replaced|targets_set))$/
