import type { DatabaseSync } from "node:sqlite"

import type { SetActivation, StoredSet } from "../records/entries.ts"
import type {
  ClientFields,
  FreezeFields,
  KeyFields,
  PriceFields,
  RaiseFields,
  StoredHold,
} from "../records/row.ts"
import { maxEndedHolds, type OpenedState } from "../store/store.ts"
import { readIdentity } from "./journal.ts"

// Every cast below reads what the projections wrote into our own STRICT tables.
type Columns = Readonly<Record<string, unknown>>

/** Reads all that a start needs, as of `nowMs`; lists are in the order in which they were added. */
export function readOpenedState(database: DatabaseSync, nowMs: number): OpenedState {
  const all = (sql: string, ...values: readonly number[]): readonly Columns[] =>
    database.prepare(sql).all(...values)
  return {
    identity: readIdentity(database),
    keys: all("SELECT * FROM keys ORDER BY seq").map(keyFields),
    clients: all("SELECT * FROM clients ORDER BY seq").map(clientFields),
    lastNonces: new Map(
      all("SELECT address, last_nonce FROM signers").map((signer) => [
        signer["address"] as string,
        signer["last_nonce"] as number,
      ]),
    ),
    ever: all("SELECT meter, used FROM ever_sums") as OpenedState["ever"],
    holds: readHolds(database, nowMs),
    prices: all("SELECT * FROM prices ORDER BY seq").map(priceFields),
    raises: all(
      "SELECT * FROM raises INDEXED BY raises_by_end WHERE ends_at > ? ORDER BY seq",
      nowMs,
    ).map(raiseFields),
    lastSet: readLastSet(database),
    freezes: all("SELECT * FROM freezes ORDER BY seq").map(freezeFields),
    armed: all("SELECT client FROM heartbeats ORDER BY seq").map(({ client }) => client as string),
    acceptedHash: all("SELECT hash FROM accepted_sets ORDER BY seq DESC LIMIT 1")[0]?.["hash"] as
      string | undefined,
  }
}

function readHolds(database: DatabaseSync, nowMs: number): readonly StoredHold[] {
  const open = database.prepare(
    "SELECT * FROM holds WHERE state IN ('pending', 'released') AND expires_at > ?",
  )
  const latest = database.prepare("SELECT * FROM holds ORDER BY seq DESC LIMIT ?")
  const bySeq = new Map(
    [...open.all(nowMs), ...latest.all(maxEndedHolds)].map((hold) => [hold["seq"], hold]),
  )
  return [...bySeq.values()]
    .sort((a, b) => (a["seq"] as number) - (b["seq"] as number))
    .map(holdFields)
}

function readLastSet(database: DatabaseSync): StoredSet | undefined {
  const last = database.prepare("SELECT hash FROM sets ORDER BY seq DESC LIMIT 1").get()
  return last === undefined ? undefined : readSet(database, last["hash"] as string)
}

function keyFields(columns: Columns): KeyFields {
  return {
    name: columns["name"] as string,
    address: columns["address"] as string,
    role: columns["role"] as string,
    wallet: columns["wallet"] as string | null,
    targets: JSON.parse(columns["targets"] as string) as readonly string[],
    network: columns["network"] as string,
    approval: columns["approval"] as string,
    expires_at: columns["expires_at"] as number | null,
  }
}

function clientFields(columns: Columns): ClientFields {
  return {
    name: columns["name"] as string,
    token_hash: columns["token_hash"] as string | null,
    keys: JSON.parse(columns["keys"] as string) as readonly string[],
    rights: JSON.parse(columns["rights"] as string) as readonly string[],
    allow_type_b: columns["allow_type_b"] === 1,
    ...(columns["idempotency_by"] === "client_order_id" && { idempotency_by: "client_order_id" }),
    ...(columns["expires_at"] !== null && { expires_at: columns["expires_at"] as number }),
  }
}

function holdFields(columns: Columns): StoredHold {
  return {
    hold: columns["id"] as string,
    client: columns["client"] as string,
    key: columns["key"] as string,
    operation: columns["operation"] as string,
    target: columns["target"] as string | null,
    body_hash: columns["body_hash"] as string,
    body: columns["body"] as string,
    policy: columns["policy"] as string,
    rule: columns["rule"] as string,
    worst: columns["worst"] as string,
    opened_at: columns["opened_at"] as number,
    expires_at: columns["expires_at"] as number,
    state: columns["state"] as StoredHold["state"],
    decided_by: columns["decided_by"] as string | null,
  }
}

function priceFields(columns: Columns): PriceFields {
  return {
    symbol_id: columns["symbol_id"] as number,
    value: columns["value"] as string,
    as_of: columns["as_of"] as number,
    by: columns["set_by"] as string,
    confirmed: columns["confirmed"] === 1,
    drift: JSON.parse((columns["drift"] as string | null) ?? "null") as PriceFields["drift"] & {},
  }
}

function freezeFields(columns: Columns): FreezeFields {
  const name = columns["name"] as string
  return {
    scope: columns["scope"] as string,
    name: name === "" ? null : name,
    reason: columns["reason"] as string,
    by: columns["frozen_by"] as string,
    cancels: columns["cancels"] === 1,
    since: columns["since"] as number,
  }
}

function raiseFields(columns: Columns): RaiseFields {
  return {
    limit: columns["limit_name"] as string,
    to: columns["raised_to"] as string,
    until: columns["ends_at"] as number,
    reason: columns["reason"] as string,
  }
}

/** How many sets one may go back to by `sets`. */
const maxSets = 20

/** The set that `hash` names. */
export function readSet(database: DatabaseSync, hash: string): StoredSet | undefined {
  const found = database.prepare("SELECT files FROM sets WHERE hash = ?").get(hash)
  if (found === undefined) return undefined
  const files = JSON.parse(found["files"] as string) as StoredSet["files"] // written from one
  return { hash, files }
}

/** The sets that were active last, the newest first. */
export function readSets(database: DatabaseSync): readonly SetActivation[] {
  return database
    .prepare("SELECT hash, activated_at FROM sets ORDER BY seq DESC LIMIT ?")
    .all(maxSets)
    .map((set) => ({
      hash: set["hash"] as string,
      activatedAtMs: set["activated_at"] as number,
    }))
}
