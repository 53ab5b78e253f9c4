import * as z from "zod"

import type { Immutable } from "../../../std/immutable.ts"
import { addressSchema, operationSchema, text, whole } from "./fields.ts"
import type { Grant } from "./grant.ts"

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
