import type { Address } from "../../venue/address.ts"
import type { Decimal } from "../../venue/decimal.ts"
import type { OperationId } from "../../venue/profile.ts"
import type { PlacedGuard } from "./guard-terms.ts"
import { type Matchers, matcherReasons, type MatcherReason } from "./match/matchers.ts"
import type { FieldPointer } from "./values/scalars.ts"
import type { DayWindow, LimitWindow } from "./values/local-clock.ts"
import type { Order } from "../../venue/payload/payload.ts"
import type { JudgedRequest } from "./match/judged-request.ts"

/** An amount for every symbol, or symbol by symbol. A symbol without one is refused. */
export type SizeBound =
  | { readonly kind: "scalar"; readonly amount: Decimal }
  | {
      readonly kind: "by_symbol"
      readonly amountBySymbol: ReadonlyMap<number, Decimal>
      readonly defaultAmount: Decimal | undefined
    }

/** What an entry of every list has. */
export type Entry = {
  readonly name: string
  /** Where it starts in its file, from 1. */
  readonly line: number
  /** What it covers: its `endpoints`; without them, what its other keys are about, or everything. */
  readonly operations: ReadonlySet<OperationId>
  readonly matchers: Matchers
}

export type Rule = Entry & {
  /** Base units, the most and the least. */
  readonly maxQuantity: SizeBound | undefined
  readonly minQuantity: SizeBound | undefined
  /** Quote units, at the worst price. */
  readonly maxNotional: SizeBound | undefined
  /** Fractions: `1%` is 0.01. */
  readonly priceBand: Decimal | undefined
  readonly priceMatchBand: Decimal | undefined
  readonly maxSlippage: Decimal | undefined
  readonly maxExpiresInMs: number | undefined
  readonly allowFullTpsl: boolean
  /** Agents that may be approved: those held here under the signing wallet, or exactly these. */
  readonly agentAddresses: "held" | readonly Address[]
  /** Accounts that may be `authorized_address` besides the signer. */
  readonly authorizedAddresses: readonly Address[]
  readonly maxValidDays: number
}

/** What a limit adds up. */
export type Counted =
  | { readonly kind: "submitted_notional" | "submitted_quantity" | "worst_cost" }
  | { readonly kind: "requests" | "orders" }
  | {
      readonly kind: "field"
      readonly pointer: FieldPointer
      /** The field that names the asset. Amounts of two assets are never added. */
      readonly by: FieldPointer | undefined
    }

export type Limit = Entry & {
  readonly counted: Counted
  readonly window: LimitWindow
  readonly max: Decimal
  readonly per: "client" | "key" | "symbol" | "account" | "all"
  readonly lane: "reduce" | undefined
  readonly mode: "enforce" | "observe"
  readonly release: "never" | "refused"
  /** Whether the limit has `endpoints`: only then cancels among them count. */
  readonly namesEndpoints: boolean
  /** A digest of what is counted. A claim's meter is this and whom it is counted for. */
  readonly definition: string
}

/** Matches orders over a size, each by itself, and orders that can't be sized. */
export type Over = { readonly kind: "quantity" | "notional"; readonly bound: SizeBound }

export type Deny = Entry & { readonly over: Over | undefined }

export type Hold = Deny & {
  readonly ttlMs: number
  /** Whether a person may release further requests like one that it holds at once. */
  readonly grants: boolean
}

/** What a verdict names: an entry, or a key of the file itself. */
export type Named = Pick<Entry, "name" | "line">

/** One policy file. */
export type Policy = {
  readonly name: string
  readonly file: string
  /** Whom it applies to: client and key must both match. `undefined` is everyone. */
  readonly appliesTo: {
    readonly clients: readonly string[] | undefined
    readonly keys: readonly string[] | undefined
  }
  readonly rules: readonly Rule[]
  readonly deny: readonly Deny[]
  readonly limits: readonly Limit[]
  readonly hold: readonly Hold[]
  readonly guards: readonly PlacedGuard[]
  /** Paths that may be read, as patterns. */
  readonly reads: readonly string[]
  /** Nothing of its clients and keys is signed without an idempotency key. */
  readonly requireIdempotency: Named | undefined
  /** The same body isn't signed again within this time without one. */
  readonly repeatWithin: (Named & { readonly ms: number }) | undefined
  /** What may open a position is signed only within this time of a recorded check of the very same. */
  readonly requireCheck: (Named & { readonly ms: number }) | undefined
}

/**
 * Whether a policy applies to a client and a key: the key that signs, or the key that a read names. A policy for
 * certain keys doesn't apply to a read without a key.
 */
export function appliesTo(
  { appliesTo: { clients, keys } }: Pick<Policy, "appliesTo">,
  client: string,
  key: string | undefined,
): boolean {
  const isClient = clients?.includes(client) ?? true
  const isKey = keys === undefined || (key !== undefined && keys.includes(key))
  return isClient && isKey
}

/** Why a rule didn't allow. What was asked and what is allowed are text for people. */
export type Denial = {
  readonly policy: string | null
  readonly rule: string | null
  readonly reason: DenialReason
  readonly file: string | null
  readonly line: number | null
  /** The order of a batch that it is about, a JSON Pointer. */
  readonly path?: string
  readonly asked: string | null
  readonly allowed: string | null
  /** Of `require_check`. */
  readonly withinMs?: number
}

/** The part of a denial that comes from one entry. */
export type Mismatch = {
  readonly reason: DenialReason
  readonly path?: string
  readonly asked: Words
  readonly allowed: Words
  readonly withinMs?: number
}

/** Names the order that doesn't fit, where it is one of a batch. */
export function ofOrder({ path }: Order, mismatch: Mismatch): Mismatch {
  return path === "" ? mismatch : { ...mismatch, path }
}

/** Text for people, made only when it is shown: of a hundred rules that don't match, one is explained. */
type Words = string | null | (() => string)

/**
 * The verdict of one entry of an applicable policy. A limit is in the list only if it refuses because it can't
 * tell what to count. Whether it has room left, the ledger knows.
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
  /** Whether a grant may lift it: it says so, and no other entry holds the request. */
  readonly grants: boolean
}

/** A request that a rule allowed. */
export type Allowed = {
  /** `policy/rule`: a rule that allowed it. */
  readonly rule: string
  /** What the limits count of it. The ledger takes them before anything is signed. */
  readonly claims: readonly Claim[]
  /** The size of each order, recorded with the request; empty if no orders can be read. */
  readonly sizes: readonly OrderSize[]
  readonly verdicts: Verdicts
} & ({ readonly kind: "allow" } | { readonly kind: "hold"; readonly hold: HeldBy })

/** The verdicts of every rule, deny and hold that applies. Tries them all when it is called. */
export type Verdicts = () => readonly Verdict[]

export type Decision =
  Allowed | { readonly kind: "refuse"; readonly denial: Denial; readonly verdicts: Verdicts }

const otherReasons = [
  "no_policy_applies",
  "no_rule_covers_endpoint",
  "endpoint_not_covered",
  "denied_by_rule",
  "idempotency_key_required",
  "check_required",
  "check_expired",
  "repeated_within",
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

export type DenialReason = MatcherReason | (typeof otherReasons)[number]

/** Why policy said no. A closed list that bots act on: docs/error-codes.md explains each, and a test keeps it true. */
export const denialReasons: readonly DenialReason[] = [...otherReasons, ...matcherReasons]

/** The denial of a request that no policy is for. */
export function noPolicy({ client, key }: JudgedRequest): Denial {
  const asked = `client ${client} with key ${key.name}`
  return { ...nowhere, reason: "no_policy_applies", asked, allowed: null }
}

/** The denial of a request whose operation no rule covers. */
export function noRule(applicable: readonly Policy[], { operation }: JudgedRequest): Denial {
  const rules = applicable.flatMap((policy) => policy.rules)
  const covered = new Set(rules.flatMap(({ operations }) => [...operations]))
  const allowed = covered.size === 0 ? null : [...covered].sort().join(", ")
  return { ...nowhere, reason: "no_rule_covers_endpoint", asked: operation, allowed }
}

/** The denial by one entry, or by a key of the file itself. */
export function denialBy(policy: Policy, entry: Named, mismatch: Mismatch): Denial {
  const { reason, asked, allowed, ...place } = mismatch
  return {
    policy: policy.name,
    rule: entry.name,
    reason,
    file: policy.file,
    line: entry.line,
    ...place,
    asked: textOf(asked),
    allowed: textOf(allowed),
  }
}

function textOf(words: Words): string | null {
  return typeof words === "function" ? words() : words
}

/** The place of a denial that no entry made. */
export const nowhere = { policy: null, rule: null, file: null, line: null } as const

/** The verdict of what refuses a request that the rules allow and nothing denies. */
export function verdictOf({ policy, rule, file, line, reason }: Denial): Verdict {
  const place = { policy: policy ?? "", rule: rule ?? "", file: file ?? "", line: line ?? 0 }
  return { ...place, verdict: "denies", reason }
}

/** The verdict of each entry that `listOf` gives of the policies, by what `sayingOf` says of it. */
export function verdictsBy<Kind extends Entry>(
  policies: readonly Policy[],
  listOf: (policy: Policy) => readonly Kind[],
  sayingOf: (entry: Kind) => readonly [Verdict["verdict"], Verdict["reason"]] | undefined,
): readonly Verdict[] {
  return policies.flatMap((policy) =>
    listOf(policy).map((entry) => {
      const [verdict, reason] = sayingOf(entry) ?? ["does_not_match", null]
      const { name: rule, line } = entry
      return { policy: policy.name, rule, file: policy.file, line, verdict, reason }
    }),
  )
}

/** When what was counted stops counting. Milliseconds. */
export type ClaimWindow = { readonly kind: "rolling"; readonly lengthMs: number } | DayWindow

/** `window: ever`: what was counted never stops counting. */
export const ever = { kind: "rolling", lengthMs: Infinity } as const

export function isEver(window: { readonly kind: string; readonly lengthMs?: number }): boolean {
  return window.lengthMs === ever.lengthMs
}

/**
 * What one limit counts of one request. Policy says what counts and the maximum. The ledger knows what is used,
 * and takes all claims of a request or none.
 */
export type Claim = {
  /** The limit's name, for answers only; `meter` identifies it. */
  readonly policy: string
  readonly limit: string
  readonly file: string
  readonly line: number
  /**
   * What is counted, and for whom: made from the limit's matchers, sum or count, window and `per`, and from the
   * client, key, symbol, account or asset. Name, max and mode aren't part of it, so a limit that is renamed or
   * raised keeps what was used.
   */
  readonly meter: string
  readonly window: ClaimWindow
  readonly amount: Decimal
  readonly max: Decimal
  readonly mode: "enforce" | "observe"
  /** Of `repeat_within`: where it is spent, the same body comes again. */
  readonly isRepeat?: true
  /** Whether the amount is given back when the request was sent once and the venue refused it. */
  readonly release: "never" | "refused"
}

/**
 * The size of an order when it was allowed: quote units at the worst price, one for the entry and one for each leg;
 * `null` if no price was known. It is recorded, so that limits count the same after prices have moved.
 */
export type OrderSize = {
  readonly entry: Decimal | null
  readonly legs: readonly (Decimal | null)[]
  /** Quote units that the order may lose at once, fees included. */
  readonly cost: Decimal | null
}
