import { isDeepStrictEqual } from "node:util"

import * as z from "zod"

import type { Immutable } from "../../../std/immutable.ts"
import {
  compareDecimals,
  type Decimal,
  formatDecimal,
  subtractDecimals,
  zero,
} from "../../../venue/decimal.ts"
import { addressSchema, decimalText, operationSchema, text, whole } from "./fields.ts"
import { readDecimal } from "./prices.ts"

/** A request that waits for a person's word. */
type HoldFields = Immutable<z.infer<typeof holdSchema>>

export const holdSchema = z.object({
  /** Its id. */
  hold: text,
  ...{ client: text, key: text, operation: operationSchema, target: addressSchema.nullable() },
  /** SHA-256 of the canonical body, hex. */
  body_hash: text,
  body: text,
  policy: text,
  /** The name of the policy's `hold` entry. */
  rule: text,
  /** What it can cost at worst, for the person who decides. */
  worst: text,
  expires_at: whole,
})

/** What a release is bound to: the very request that was held, down to its canonical body. */
export type HoldBinding = Pick<HoldFields, "client" | "key" | "operation" | "target" | "body">

export type HoldAsk = Omit<HoldFields, "hold" | "body_hash">

export type Hold = HoldFields & {
  readonly opened_at: number
  /** `expired`: nobody decided in time, or the release wasn't used in time; never written, but told of a time. */
  readonly state: "pending" | "released" | "granted" | "refused" | "used" | "expired"
  /** Who released or refused it. */
  readonly decided_by: string | null
}

/** A person's word on a hold. */
export type HoldDecision = { readonly by: string } & (
  | { readonly to: "released" | "refused" }
  | { readonly to: "granted"; readonly grant: Omit<Grant, "ended"> }
)

/** What a request must be, to the letter, so that a grant is for it. */
const bound = {
  ...{ client: text, key: text, operation: operationSchema, target: addressSchema.nullable() },
  /** Canonical JSON of its body without price, quantity and client_order_id. */
  like: text,
  /** The `hold` entry that it lifts, and the files of that. */
  ...{ policy: text, rule: text, policy_hash: text },
}

/** What is left of a grant, which goes by the hold that it was given on. */
export const grantLeftSchema = z.object({
  hold: text,
  times_left: whole,
  /** The sum of what may be asked for yet, in the units of the order's `quantity`. */
  quantity_left: decimalText,
})

/** A person's word on further requests like one that was held: each is signed without a person. */
export const grantSchema = grantLeftSchema.extend({
  ...bound,
  /** It is open only while the time is below that. */
  until: whole,
  /** The act that ended it before. */
  ended: text.exactOptional(),
})

export type Grant = Immutable<z.infer<typeof grantSchema>>
export type GrantLeft = Immutable<z.infer<typeof grantLeftSchema>>

/** What a request asks of a grant. */
export type GrantAsk = {
  readonly binding: Pick<Grant, keyof typeof bound>
  readonly quantity: Decimal
}

/** What is left of the grant that a request may use, once it has. Of several, the one that was given first. */
export function grantUse(
  grants: Iterable<Grant>,
  { binding, quantity }: GrantAsk,
  nowMs: number,
): GrantLeft | undefined {
  for (const grant of grants) {
    const { hold, times_left, quantity_left } = grant
    if (endOf(grant, nowMs) !== undefined || !isDeepStrictEqual(boundTo(grant), binding)) continue
    const left = readDecimal(quantity_left)
    if (compareDecimals(quantity, left) > 0) continue
    const after = formatDecimal(subtractDecimals(left, quantity))
    return { hold, times_left: times_left - 1, quantity_left: after }
  }
  return undefined
}

/** What ended a grant: an act, or that its times, its quantity or its time is over; `undefined` while it is open. */
export function endOf(grant: Grant, nowMs: number): string | undefined {
  if (grant.ended !== undefined) return grant.ended
  if (grant.times_left === 0) return "times"
  if (compareDecimals(readDecimal(grant.quantity_left), zero) === 0) return "quantity"
  return nowMs >= grant.until ? "time" : undefined
}

function boundTo({ client, key, operation, target, like, ...by }: Grant): GrantAsk["binding"] {
  const { policy, rule, policy_hash } = by
  return { client, key, operation, target, like, policy, rule, policy_hash }
}
