import type { Address } from "./address.ts"
import type { Decimal } from "./decimal.ts"
import type { CanonicalForm, Domain, StructType } from "./signing-hash.ts"
import type { JsonObject } from "./json.ts"
import type { ReadPaths } from "./read-paths.ts"

export const operationIds = [
  "placeOrder",
  "modifyOrder",
  "cancelOrder",
  "chaseOrder",
  "placeBatch",
  "modifyBatch",
  "cancelBatch",
  "cancelAll",
  "setPositionMode",
  "setLeverage",
  "adjustIsolatedMargin",
  "approveAgent",
  "revokeAgent",
  "renewAgent",
  "createSub",
  "transfer",
  "withdraw",
] as const
export type OperationId = (typeof operationIds)[number]

/** Something the venue's interface discloses, or else the line that an operator adds to venue.yaml. */
export type Disclosed<T> =
  | { readonly known: true; readonly value: T }
  | {
      readonly known: false
      readonly code:
        | "action_tag_undisclosed"
        | "struct_undisclosed"
        | "signing_type_undisclosed"
        | "items_undisclosed"
        | "target_layout_undisclosed"
      readonly addLine: string
    }

/** How an operation is signed. Type A operations differ only in their tag byte. */
export type Signing =
  { readonly type: "A"; readonly tag: number } | { readonly type: "B"; readonly struct: StructType }

/** What is known of an operation's body. Pointers are JSON Pointers into the body. */
export type PayloadShape =
  | { readonly kind: "order" }
  | { readonly kind: "order_with_id"; readonly orderId: string }
  | { readonly kind: "order_list"; readonly items: string; readonly orderId: string | undefined }
  | { readonly kind: "item_list"; readonly items: string }
  | { readonly kind: "approve_agent" }
  | { readonly kind: "struct" }
  | { readonly kind: "opaque" }

export type Endpoint = {
  readonly id: OperationId
  /** Under `base_url`, from `/v1/` on. */
  readonly path: string
  readonly area: "trade" | "account"
  /** Address weight: `base`, and for batchable operations `floor(batch_length / 10)` more. */
  readonly weight: { readonly base: number; readonly perTenItems: 0 | 1 }
  readonly signing: Disclosed<Signing>
  readonly shape: PayloadShape
  /** Fields that venue.yaml allows in addition to the documented ones. */
  readonly extraFields: readonly string[]
  /** For a cancel: the names allowed in its body, at any depth; `undefined` if venue.yaml doesn't list them. */
  readonly fields: readonly string[] | undefined
  /** For a modify: whether the venue applies the flags of the new order. The interface doesn't say, venue.yaml does. */
  readonly appliesFlags: boolean
}

/** `reference_price` of a symbol, in quote units for one base unit. It is fresh until `asOfMs + maxAgeMs`. */
export type ReferencePrice = {
  readonly value: Decimal
  readonly asOfMs: number
  readonly maxAgeMs: number
}

export type SymbolEntry = {
  readonly id: number
  readonly name: string
  readonly market: "spot" | "perp"
  readonly quote: string
  readonly referencePrice: ReferencePrice | undefined
}

export type SymbolTable = {
  readonly byId: ReadonlyMap<number, SymbolEntry>
  readonly byName: ReadonlyMap<string, SymbolEntry>
}

/** The operations that take orders away and make none. */
export const cancelIds = [
  "cancelOrder",
  "cancelBatch",
  "cancelAll",
] as const satisfies readonly OperationId[]

/** A cancel that a panic signs. */
export type PanicLine = {
  readonly operation: (typeof cancelIds)[number]
  /** The name of a key; without it every agent key. */
  readonly key?: string | undefined
  readonly target?: Address | undefined
  /** The business fields. */
  readonly body: JsonObject
}

/** Where the gate reads reference prices. Pointers are given by their steps. */
export type PricePoll = {
  /** With their queries: what one round reads. */
  readonly paths: readonly string[]
  /** Of a round, against the IP budget. */
  readonly weight: number
  readonly everyMs: number
  /** From an answer to its list of entries; `undefined` where the answer itself is the only one. */
  readonly list: readonly string[] | undefined
  /** From an entry to the id or the name of its symbol. */
  readonly symbol: readonly string[]
  /** From an entry to its price. */
  readonly value: readonly string[]
}

/** An account whose open orders and positions the gate reads. */
type PolledAccount = {
  /** The operator's word for it. */
  readonly name: string
  readonly address: Address
  readonly positionMode: "one_way" | "hedge"
}

/** Where one answer of an account is, and what the gate alone understands of it. `$account` stands for the account's address. */
type AccountRead = JsonObject & { readonly path: string }

/** Which accounts are read, and how. */
export type AccountPoll = {
  /** At least one; no two have one address. */
  readonly accounts: readonly PolledAccount[]
  /** The longest the venue takes to show what it did: positions are read that long after the orders. */
  readonly lagMs: number
  /** From one reading of an account to the next, while something is to be settled, and while nothing is. */
  readonly busyMs: number
  readonly idleMs: number
  /** Of one reading of one account, against the IP budget. */
  readonly weight: number
  /** As venue.yaml has it, by name. */
  readonly map: Readonly<Record<string, AccountRead | readonly AccountRead[]>>
  /** Whether there is nothing in it: a client reads the accounts, and not the gate. */
  readonly isFed: boolean
  /** Whether readings say what their account is worth: each of the gate's, and of a client's those that do. */
  readonly hasEquity: boolean
  /** SHA-256 of `map` in hex: another one, and readings may mean something else. */
  readonly mapping: string
}

/** The venue's interface as this installation knows it: what is disclosed, plus venue.yaml. Deeply frozen. */
export type Profile = {
  readonly baseUrl: string | undefined
  readonly domain: Domain
  /** The domain separator in hex. Keys are bound to it. */
  readonly network: string
  readonly typeB: {
    readonly serviceChain: string
    readonly signatureChainIds: readonly number[]
  }
  readonly canonicalForm: CanonicalForm
  readonly endpoints: ReadonlyMap<OperationId, Endpoint>
  readonly endpointByPath: ReadonlyMap<string, Endpoint>
  readonly agentStruct: StructType
  readonly agentStructWithTarget: Disclosed<StructType>
  readonly symbols: SymbolTable
  /** `oco_reduce_only`: the venue fills only one leg of a take-profit/stop pair, and only to reduce a position. */
  readonly tpslLegs: "independent" | "oco_reduce_only"
  /** The most that the venue takes of what an order trades, a fraction. */
  readonly feeRate: Decimal
  readonly defaultMarketOrderType: "base" | "quote" | undefined
  readonly panic: readonly PanicLine[]
  /** The venue's code for a nonce that was used before; the interface doesn't disclose it. */
  readonly duplicateNonceCode: string | undefined
  /** The venue's codes that say "not processed, come back", as its 429 does whatever the code. */
  readonly notProcessedCodes: readonly string[]
  readonly reads: ReadPaths
  readonly pricePoll: PricePoll | undefined
  readonly accountPoll: AccountPoll | undefined
  /** Of venue-paper.yaml: what is signed by it is for the sandbox alone. */
  readonly isPaper?: true
}
