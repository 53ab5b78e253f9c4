import type { Address } from "../../../venue/address.ts"
import type { Decimal } from "../../../venue/decimal.ts"
import type { JsonObject } from "../../../venue/json.ts"
import type { Lane, Payload } from "../../../venue/payload/payload.ts"
import type { OperationId, Profile } from "../../../venue/profile.ts"

/** What is judged: who asks for what, parsed as far as it can be. */
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
  /** It has an idempotency key, so the same sent again is no second request. */
  readonly isKeyed: boolean
}

/** What judging needs besides request and policies. All are values: policy has no clock and no disk. */
export type Circumstances = {
  readonly profile: Profile
  readonly nowMs: number
  /** The agent keys held here under the signing wallet, without revoked ones. Called only for an approval. */
  readonly heldAgents: () => ReadonlySet<Address>
  /** The reference price of a symbol if it is fresh at `nowMs`. */
  readonly referencePrice: (symbolId: number) => Decimal | undefined
  /** A later price that is held back. Bounds must hold by both prices. */
  readonly heldPrice?: (symbolId: number) => Decimal | undefined
  /** The raises by `limits raise` that are in force at `nowMs`. */
  readonly raises: readonly Raise[]
}

/** A limit, by its name or as `policy/name`, and its maximum while it is raised. */
export type Raise = { readonly limit: string; readonly max: Decimal }
