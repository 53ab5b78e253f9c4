// What bots are shown, as schemas: the types that the vault answers with, and the schemas that
// docs/openapi.json is written from. Nothing is checked by them at run time.

import * as z from "zod"

import { takenOrderSchema } from "../link/calls/both-ways.ts"
import type { PayloadShape } from "../venue/profile.ts"
import { guardKindSchema, refusalSchema } from "./refusal.ts"

const text = z.string()
const int = z.int()
const time = int.describe("Milliseconds since 1970.")
const amount = text.describe("A decimal string, in the limit's own unit.")

export const keyViewSchema = z
  .strictObject({
    name: text,
    address: text.describe("EIP-55."),
    role: z.enum(["wallet", "agent"]),
    wallet: text.nullable().describe("The wallet key that an agent key trades for."),
    targets: z.array(text).readonly().describe("Further accounts that it may operate."),
    network: text.describe("The domain separator of the network that it was made for."),
    approval: z.enum(["unknown", "approved", "revoked", "retired", "removed"]),
    expires_at: time.nullable().describe("When an agent's approval ends, in milliseconds."),
    last_used: time.nullable().describe("When it signed last; null when it never did."),
    locked: z.boolean().describe("Whether it has to be unlocked before it signs."),
  })
  .readonly()
export type KeyView = z.infer<typeof keyViewSchema>

const symbolSchema = z.strictObject({ symbol_id: int, name: text }).readonly()

/** What a token may do. */
export const whoamiSchema = z
  .strictObject({
    client: text,
    keys: z.array(keyViewSchema).readonly(),
    default_key: text.describe("Signs what names no key."),
    rights: z.array(text).readonly(),
    allow_type_b: z.boolean().describe("Whether it may sign with wallet keys."),
    forward_only: z
      .boolean()
      .describe("No signed body is given to it: `/v1/…` forwards, `/sign` refuses."),
    paper: z.boolean().describe("Whether it trades on paper: nothing of its reaches the venue."),
    symbols: z.array(symbolSchema).readonly().describe("As venue.yaml names them."),
    operations: z
      .array(text)
      .readonly()
      .describe("What a rule is for. Whether a request is allowed, a check tells."),
    reads: z.array(text).readonly().describe("The patterns of paths that policy lets it read."),
    service_chain: text.nullable().describe("The network's, for account operations."),
    signature_chain_ids: z.array(int).readonly().describe("One of them is an account operation's."),
  })
  .readonly()
export type Whoami = z.infer<typeof whoamiSchema>

/** A reference price. `as_of` and `good_until` in milliseconds; `state` says whether it is used. */
export const priceViewSchema = z
  .strictObject({
    symbol: text,
    value: text.nullable(),
    as_of: time.nullable(),
    good_until: time.nullable(),
    by: text.nullable().describe("profile, operator, or the client that fed it."),
    state: z.enum(["known", "stale", "unconfirmed", "none"]),
    anchor: text.nullable().describe("What the drift is measured from; null without one."),
    pending: text
      .nullable()
      .describe("What was fed and isn't in force: it moved too fast, or waits for a person."),
  })
  .readonly()
export type PriceView = z.infer<typeof priceViewSchema>

/** A reading of an account that a client makes. `begun_at` in milliseconds, by the daemon's clock. */
export const begunReadingSchema = z
  .strictObject({
    ticket: text,
    begun_at: time,
    expires_in_ms: int,
    lag_ms: int.describe("To be waited between the last list of orders and the positions."),
  })
  .readonly()
export type BegunReading = z.infer<typeof begunReadingSchema>

const limitOrigin = {
  policy: text,
  limit: text,
  file: text,
  line: int,
  mode: z.enum(["enforce", "observe"]),
}

/** A limit as it stands for one client and key. Amounts as decimals in its own unit. */
export const limitViewSchema = z
  .strictObject({
    ...limitOrigin,
    max: amount,
    used: amount,
    asked: amount,
    frees_at: time
      .nullable()
      .describe("When what was asked would fit; null when it fits now or never will."),
  })
  .readonly()
export type LimitView = z.infer<typeof limitViewSchema>

/** What of a limit is used, for one of those it is counted for. */
export const limitUseSchema = z
  .strictObject({
    ...limitOrigin,
    per: z.enum(["client", "key", "symbol", "account", "all"]),
    for: text.describe("The client, key or account; empty where it is counted for all."),
    of: text.describe("The symbol or asset, where amounts of several are kept apart; else empty."),
    max: amount,
    used: amount,
  })
  .readonly()
export type LimitUse = z.infer<typeof limitUseSchema>

const left = amount.nullable()

/** What a guard leaves of an account, by one of its bounds: a row for each side of a position that has its own. */
export const guardUseSchema = z
  .strictObject({
    policy: text,
    guard: text,
    file: text,
    line: int,
    account: text.describe("Its address."),
    account_name: text.describe("As venue.yaml names it."),
    kind: guardKindSchema,
    measure: z.enum(["net", "gross", "notional"]).nullable().describe("Of max_position."),
    symbol: text.nullable().describe("Of max_position."),
    side: z.enum(["long", "short"]).nullable().describe("Of max_position, but for gross."),
    max: left.describe("Null while it is a share of what isn't known."),
    measured: left.describe("By the last reading; null while it can't be told, as room."),
    in_flight: left.describe("Signed, and not covered by that reading."),
    room: left.describe("What may be opened now."),
    read_at: time.nullable().describe("When that reading began; null where there was none."),
    tripped_at: time
      .nullable()
      .describe("Of losses: since when nothing opens; null where it does."),
    loss_unknown: z
      .enum(["no_equity", "reading_old", "equity_changed"])
      .nullable()
      .describe("Of losses: why what is lost can't be told, as in guard_unreadable; else null."),
    rearmed_until: time
      .nullable()
      .describe("Of losses: until when a person lets more be lost; null where nobody does."),
  })
  .readonly()
export type GuardUse = z.infer<typeof guardUseSchema>

/** One of the venue's rate budgets, as it stands for one client. Weights, of a rolling minute. */
export const budgetViewSchema = z
  .strictObject({
    scope: z.enum(["address", "ip"]),
    address: text.nullable().describe("The rate-limit address; null for the IP budget."),
    max: int,
    used: int,
    own: int.describe("What of that is the client's own."),
    left: int.describe(
      "What its requests may weigh now, cancels apart: what is kept for others isn't in it.",
    ),
  })
  .readonly()
export type BudgetView = z.infer<typeof budgetViewSchema>

/** What became of a request; see the records of docs/http-api/. */
const recordStates = [
  "refused_here",
  "signed",
  "sent",
  "accepted",
  "refused",
  "unknown",
  "expired_unresolved",
] as const

export const recordViewSchema = z
  .strictObject({
    id: text,
    state: z.enum(recordStates),
    client: text,
    key: text.nullable(),
    operation: text.nullable(),
    nonce: int.nullable(),
    expires_after: time.nullable(),
    decided_at: time,
    policy_hash: text,
    refusal: refusalSchema.nullable(),
    outcome: z
      .strictObject({
        status: int.nullable(),
        code: text.nullable(),
        order: takenOrderSchema
          .readonly()
          .nullable()
          .describe("What the venue calls the order that it took: its own words."),
      })
      .readonly()
      .nullable()
      .describe("What the venue answered."),
    idempotency_key: text.nullable().describe("The header that it came with."),
    client_order_id: text.nullable().describe("Of a single order."),
  })
  .readonly()
export type RecordView = z.infer<typeof recordViewSchema>

export const verdictSchema = z
  .strictObject({
    policy: text,
    rule: text,
    file: text,
    line: int,
    verdict: z.enum(["allows", "denies", "holds", "does_not_match"]),
    reason: text.nullable(),
  })
  .readonly()
export type Verdict = z.infer<typeof verdictSchema>

/** Whether a request would be signed, and what each rule and limit makes of it. */
export const checkReportSchema = z
  .strictObject({
    would_sign: z.boolean(),
    refusal: refusalSchema.nullable(),
    verdicts: z.array(verdictSchema).readonly(),
    limits: z.array(limitViewSchema).readonly(),
    fits: z
      .strictObject({ quantity: text })
      .readonly()
      .optional()
      .describe(
        "Of a plain order that only its size stops: a smaller quantity that would be signed now, found by halving. One more of the asked quantity's last decimal wouldn't.",
      ),
  })
  .readonly()
export type CheckReport = z.infer<typeof checkReportSchema>

/** The same as a bot is told it. */
export const checkAnswerSchema = checkReportSchema
  .unwrap()
  .extend({ do: text.nullable().describe("What to do about the refusal; null without one.") })
  .readonly()

/** A request that waits for a person. */
export type HoldView = {
  readonly id: string
  readonly state: "pending" | "released" | "granted" | "refused" | "used" | "expired"
  readonly client: string
  readonly key: string
  readonly operation: string
  readonly target: string | null
  readonly policy: string
  readonly rule: string
  /** The business fields, canonical JSON. */
  readonly body: string
  /** How the operation's body is read. */
  readonly shape: PayloadShape
  /** What it can cost at worst, in words. */
  readonly worst_case: string
  readonly expires_at: number
}

/** A person's word on further requests like one that was held. */
export type GrantView = {
  /** Of the hold that it was given on. */
  readonly id: string
  readonly client: string
  readonly key: string
  readonly operation: string
  readonly target: string | null
  readonly policy: string
  readonly rule: string
  /** Of the files under which alone it is used. */
  readonly policy_hash: string
  /** What each request must say besides price, quantity and client_order_id: canonical JSON. */
  readonly like: string
  readonly until: number
  readonly times_left: number
  readonly quantity_left: string
  /** `time`, `times` or `quantity` where that is over, else the act that ended it; `null` while it is open. */
  readonly ended: string | null
}

/** What of the venue's profile tells how an order is meant. */
export type SymbolsView = {
  /** By their ids. */
  readonly names: Readonly<Record<string, string>>
  /** What each is priced in, by their ids. */
  readonly quotes: Readonly<Record<string, string>>
  readonly default_market_order_type: "base" | "quote" | null
}
