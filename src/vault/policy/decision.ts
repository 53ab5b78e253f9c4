import type { Address } from "../../venue/address.ts"
import type { Decimal } from "../../venue/decimal.ts"
import type { JsonObject } from "../../venue/json.ts"
import type { Payload } from "../../venue/payload.ts"
import type { OperationId, Profile } from "../../venue/profile.ts"
import type { DenialReason } from "./denial-reason.ts"

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
}

/** What the request is judged against, besides the policies. Given as values: policy has no clock and no disk. */
export type Circumstances = {
  readonly profile: Profile
  readonly nowMs: number
  /** Addresses of the agent keys held here under the signing wallet, revoked ones left out. */
  readonly heldAgents: ReadonlySet<Address>
  /** The reference price of a symbol if it is fresh at `nowMs`. */
  readonly referencePrice: (symbolId: number) => Decimal | undefined
}

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

/** What a denial says of one rule alone. */
export type Mismatch = Pick<Denial, "reason" | "asked" | "allowed">

/** What one entry of an applicable policy made of the request. */
export type Verdict = {
  readonly policy: string
  readonly rule: string
  readonly file: string
  readonly line: number
  readonly verdict: "allows" | "denies" | "does_not_match"
  readonly reason: DenialReason | null
}

/** `rule` is `policy/rule`, one that allowed it. `verdicts` holds every entry of every applicable policy. */
export type Decision =
  | { readonly kind: "allow"; readonly rule: string; readonly verdicts: readonly Verdict[] }
  | { readonly kind: "refuse"; readonly denial: Denial; readonly verdicts: readonly Verdict[] }
