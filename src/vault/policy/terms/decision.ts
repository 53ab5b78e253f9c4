import type { Address } from "../../../venue/address.ts"
import type { Decimal } from "../../../venue/decimal.ts"
import type { JsonObject } from "../../../venue/json.ts"
import type { Lane } from "../../../venue/payload/lane.ts"
import type { Payload } from "../../../venue/payload/payload.ts"
import type { OperationId, Profile } from "../../../venue/profile.ts"
import type { Claim, OrderSize } from "./claim.ts"

/** What is judged: who asks for what, with everything read that can be read. */
export type JudgedRequest = {
  readonly client: string
  readonly key: {
    readonly name: string
    readonly address: Address
    readonly role: "wallet" | "agent"
  }
  readonly operation: OperationId
  readonly target: Address | undefined
  readonly body: JsonObject
  readonly payload: Payload
  readonly lane: Lane
  /** How long the signed request would be valid. */
  readonly expiresInMs: number
}

/** What the request is judged against, besides the policies. Given as values: policy has no clock and no disk. */
export type Circumstances = {
  readonly profile: Profile
  readonly nowMs: number
  /** Addresses of the agent keys held here under the signing wallet, revoked ones left out. Only an approval asks. */
  readonly heldAgents: () => ReadonlySet<Address>
  /** The reference price of a symbol if it is fresh at `nowMs`. */
  readonly referencePrice: (symbolId: number) => Decimal | undefined
  /** One that was fed since and is held back: bounds must hold by both. */
  readonly heldPrice?: (symbolId: number) => Decimal | undefined
  /** What `limits raise` gave for a while, as far as it holds at `nowMs`. */
  readonly raises: readonly Raise[]
}

/** A limit, by its name or by `policy/name`, and the maximum it has in place of a lower one. */
export type Raise = { readonly limit: string; readonly max: Decimal }

/** Why a rule didn't allow, with what was asked and what is allowed as text for people. */
export type Denial = {
  readonly policy: string | null
  readonly rule: string | null
  readonly reason: DenialReason
  readonly file: string | null
  readonly line: number | null
  readonly asked: string | null
  readonly allowed: string | null
}

/** What a denial says of one entry alone. */
export type Mismatch = {
  readonly reason: DenialReason
  readonly asked: Words
  readonly allowed: Words
}

/** Text for people, made when it is told: of a hundred rules that don't match, one is explained. */
export type Words = string | null | (() => string)

/**
 * What one entry of an applicable policy made of the request. A limit is in the list only where it
 * refuses because it can't tell what to count; the room that it has is the ledger's to say.
 */
export type Verdict = {
  readonly policy: string
  readonly rule: string
  readonly file: string
  readonly line: number
  readonly verdict: "allows" | "denies" | "holds" | "does_not_match"
  readonly reason: DenialReason | null
}

/** The entry of `hold` that a request waits for, and for how long. */
export type HeldBy = {
  readonly policy: string
  readonly name: string
  readonly file: string
  readonly line: number
  readonly ttlMs: number
}

type Allowed = {
  /** `policy/rule`, one that allowed it. */
  readonly rule: string
  /** What the limits count of it, for the ledger to take before anything is signed. */
  readonly claims: readonly Claim[]
  /** What each order was sized at, to be recorded with it; empty where no orders can be read. */
  readonly sizes: readonly OrderSize[]
}

type Explained = {
  /** Every rule, deny and hold of every applicable policy; tries them all when it is called. */
  readonly verdicts: () => readonly Verdict[]
}

export type Decision = Explained &
  (
    | (Allowed & { readonly kind: "allow" })
    | (Allowed & { readonly kind: "hold"; readonly hold: HeldBy })
    | { readonly kind: "refuse"; readonly denial: Denial }
  )

/** Why policy said no. A closed list that bots act on: docs/error-codes.md explains each, and a test keeps it true. */
export const denialReasons = [
  "no_policy_applies",
  "no_rule_covers_endpoint",
  "endpoint_not_covered",
  "denied_by_rule",
  "symbol_not_allowed",
  "side_not_allowed",
  "order_type_not_allowed",
  "time_in_force_not_allowed",
  "flag_required",
  "flag_forbidden",
  "position_side_not_allowed",
  "margin_mode_not_allowed",
  "stp_mode_not_allowed",
  "algo_order_type_not_allowed",
  "client_order_id_not_allowed",
  "target_address_not_allowed",
  "label_not_allowed",
  "outside_hours",
  "body_field_not_allowed",
  "expires_in_over_max",
  "symbol_without_max",
  "symbol_without_min",
  "quantity_over_max",
  "quantity_under_min",
  "quantity_unreadable",
  "notional_over_max",
  "notional_unknown",
  "slippage_required",
  "slippage_over_max",
  "price_outside_band",
  "reference_price_unknown",
  "price_match_band_required",
  "size_unreadable",
  "market_order_type_required",
  "full_tpsl_not_allowed",
  "approval_unreadable",
  "agent_address_not_allowed",
  "authorized_address_not_allowed",
  "valid_days_over_max",
  "order_unreadable",
  "limit_unreadable",
  "read_not_allowed",
] as const
export type DenialReason = (typeof denialReasons)[number]
