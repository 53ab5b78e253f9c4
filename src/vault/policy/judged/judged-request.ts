import type { Address } from "../../../venue/address.ts"
import type { Decimal } from "../../../venue/decimal.ts"
import type { JsonObject } from "../../../venue/json.ts"
import type { Lane } from "../../../venue/payload/lane.ts"
import type { Payload } from "../../../venue/payload/payload.ts"
import type { OperationId, Profile } from "../../../venue/profile.ts"

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
