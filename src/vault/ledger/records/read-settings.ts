import type { Address } from "../../../venue/address.ts"
import type { OperationId } from "../../../venue/profile.ts"
import type { PriceDrift, Raise, StoredPrice } from "./admin-entry.ts"
import type { Freeze } from "./freeze.ts"
import type { Hold } from "./hold.ts"
import { readDecimal } from "./request-row.ts"
import type { StoredHold, FreezeFields, PriceFields, RaiseFields } from "./row.ts"

/** Reads a price as it was stored. @throws {Fault} `ledger_unusable` when it makes no sense. */
export function readPrice(fields: PriceFields): StoredPrice {
  return {
    symbolId: fields.symbol_id,
    value: readDecimal(fields.value),
    asOfMs: fields.as_of,
    by: fields.by,
    confirmed: fields.confirmed,
    drift: readDrift(fields),
  }
}

/** Of an older version's price nobody said how far it may move: it is its own anchor, unless it waited for a person. */
function readDrift({ drift, ...price }: PriceFields): PriceDrift | undefined {
  if (drift === undefined || drift === null) {
    const anchor = { value: readDecimal(price.value), atMs: price.as_of }
    return price.confirmed ? { anchor, allowance: 0n } : undefined
  }
  const { held } = drift
  return {
    anchor: { value: readDecimal(drift.anchor), atMs: drift.anchor_at },
    allowance: BigInt(drift.allowance),
    ...(held !== null && {
      held: { value: readDecimal(held.value), by: held.by, atMs: held.at },
    }),
  }
}

/** Reads a raised limit as it was stored. @throws {Fault} `ledger_unusable` when it makes no sense. */
export function readRaise({ limit, to, until, reason }: RaiseFields): Raise {
  return { limit, to: readDecimal(to), untilMs: until, reason }
}

/** Reads a freeze as it was stored. */
export function readFreeze(fields: FreezeFields): Freeze {
  const { reason, by, cancels, since: sinceMs } = fields
  const rest = { reason, by, cancels, sinceMs }
  if (fields.name === null) return { scope: "all", name: null, ...rest }
  return { scope: fields.scope === "key" ? "key" : "client", name: fields.name, ...rest }
}

/** Reads a hold as it was stored. */
export function readHold(fields: StoredHold): Hold {
  return {
    id: fields.hold,
    client: fields.client,
    key: fields.key,
    operation: fields.operation as OperationId, // written from one
    target: fields.target as Address | null, // written from one
    body: fields.body,
    bodyHash: fields.body_hash,
    policy: fields.policy,
    rule: fields.rule,
    worst: fields.worst,
    openedAtMs: fields.opened_at,
    expiresAtMs: fields.expires_at,
    state: fields.state,
    decidedBy: fields.decided_by,
  }
}
