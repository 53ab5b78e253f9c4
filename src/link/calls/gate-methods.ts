// The bot socket's calls by which the gate reads the venue, tells what became of what it sent, and stops what is to stop; and
// the values that several calls take. `methods.ts` has the others.

import * as z from "zod"

import type { Address } from "../../venue/address.ts"
import type { AccountPoll, PricePoll } from "../../venue/profile.ts"
import type { Refused } from "../../contract/refusal.ts"
import type { Measures } from "../../contract/facts.ts"
import type { BegunReading } from "../../contract/bot-views.ts"
import type { HeartbeatView, OutboxRequest } from "../../contract/stop-views.ts"
import { type FreezeView, outcomeSchema } from "./both-ways.ts"

/** A bot's token, its only identity. */
export const token = z.string().max(128)
/** A record's id. */
export const record = z.string().max(64)

/** 1 to 64 visible characters of ASCII: a header's value as it came. */
export const idempotencyKey = z.string().regex(/^[\x21-\x7e]{1,64}$/)
/** The header of W3C Trace Context. */
export const traceparent = z.string().regex(/^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/)

/** Prices of symbols, in decimals. 100 are more than most tables have; it bounds the commits that one call makes. */
export const pricesList = z
  .array(z.strictObject({ symbol: z.string(), value: z.string() }))
  .min(1)
  .max(100)

/** A decimal as the venue wrote it. Who takes it parses it. */
const decimalText = z.string().max(64)
/** An id or a name of a symbol, as the answer has it. */
const symbolText = z.string().min(1).max(64)
const positionSide = z.enum(["long", "short", "both"])

/** No more of them are in a reading; an account that has more can't be read. */
export const maxReadOrders = 500
export const maxReadPositions = 200

/** An open order. `remaining` is above zero. */
export const readOrder = z.strictObject({
  symbol: symbolText,
  is_buy: z.boolean(),
  position_side: positionSide.optional(),
  remaining: decimalText,
  price: decimalText.optional(),
  reduce_only: z.boolean(),
})
export type ReadOrder = z.infer<typeof readOrder>

/** A position. `quantity` is below zero where it is short, and never zero. */
export const readPosition = z.strictObject({
  symbol: symbolText,
  position_side: positionSide.optional(),
  quantity: decimalText,
})
export type ReadPosition = z.infer<typeof readPosition>

/** What an account's open orders were, and, later by the venue's lag, its positions, and then its equity. Whole: what isn't here isn't there. */
export const accountReading = z.strictObject({
  orders: z.array(readOrder).max(maxReadOrders),
  positions: z.array(readPosition).max(maxReadPositions),
  /** What it is worth, perhaps less than nothing. There where venue.yaml says where it is. */
  equity: decimalText.optional(),
  /** When the first answer with orders was asked for, by the venue's clock: its `Date` less how long it took. Absent where one has none. */
  venue_at: z.int().optional(),
})
export type AccountReading = z.infer<typeof accountReading>

export const gateParams = {
  /** How many requests were decided how since the vault's start, where a target is told of refusals. */
  decided: z.strictObject({}),
  /** Takes what a read weighs, if the client may make it. `path`: the venue's, without its query; `key`: `Countersign-Key`. */
  read: z.strictObject({
    token,
    path: z.string().max(256),
    key: z.string().max(64).optional(),
  }),
  /** The venue refused a read of this client for the IP budget. */
  readBudgetSpent: z.strictObject({ token }),
  /** Begins the next round of the price poll if it is due, and takes what it weighs. No token: venue.yaml says what is read. */
  pricePoll: z.strictObject({}),
  /** What a round read at one of its paths, by the names of venue.yaml. No token: neither says the gate more than it may. */
  polledPrices: z.strictObject({ round: z.int(), path: z.string().max(1_024), prices: pricesList }),
  /** Begins the next reading of an account if one is due, and takes what it weighs. No token: venue.yaml says what is read. */
  accountPoll: z.strictObject({}),
  /** What the reading with this ticket found. */
  polledAccount: z.strictObject({ ticket: z.string().max(64), reading: accountReading }),
  /** The body of `POST /account/begin` as it came, base64. */
  beginAccount: z.strictObject({ token, body: z.base64() }),
  /** The body of `POST /account` as it came, base64. */
  account: z.strictObject({ token, body: z.base64() }),
  /** The body of `POST /freeze` as it came, base64. */
  freeze: z.strictObject({ token, body: z.base64() }),
  /** The body of `POST /heartbeat` as it came, base64. */
  heartbeat: z.strictObject({ token, body: z.base64() }),
  /** Waits for requests that nobody asked for over HTTP: cancels that a missed heartbeat had signed. */
  outbox: z.strictObject({}),
  /** What became of one of these; of no other. */
  outboxReport: z.strictObject({ record, outcome: outcomeSchema }),
}

/** What the gate is to read now, and where in the answers the prices are. */
export type PollRound = Pick<PricePoll, "paths" | "list" | "symbol" | "value"> & {
  readonly id: number
  /** The symbols that count; an entry has an id or a name of theirs. */
  readonly symbols: readonly { readonly id: number; readonly name: string }[]
}

/** The account that the gate is to read now, and how. */
export type AccountRound = Pick<AccountPoll, "lagMs" | "map"> & {
  /** By which the vault knows the reading, and when it began. */
  readonly ticket: string
  readonly account: Address
}

export type GateResults = {
  decided: Pick<Measures, "decisions">
  /** `weight`: what was taken of the IP budget; 0 where it is off. `paper`: it is read of paper's venue. */
  read:
    | Refused
    | { readonly kind: "answer"; readonly weight: number; readonly paper?: true | undefined }
  readBudgetSpent: Refused | { readonly kind: "answer" }
  /** `dueInMs`: of the next round, `null` where nothing is polled; `round`: the one that began. */
  pricePoll: { readonly dueInMs: number | null; readonly round: PollRound | null }
  polledPrices: Refused | { readonly kind: "answer" }
  /** `dueInMs`: until a reading may be due, `null` where no account is read; `round`: the one that began. */
  accountPoll: { readonly dueInMs: number | null; readonly round: AccountRound | null }
  polledAccount: Refused | { readonly kind: "answer" }
  beginAccount: Refused | { readonly kind: "answer"; readonly begun: BegunReading }
  account: Refused | { readonly kind: "answer" }
  freeze: Refused | { readonly kind: "answer"; readonly freeze: FreezeView }
  heartbeat: Refused | { readonly kind: "answer"; readonly heartbeat: HeartbeatView }
  outbox: { readonly requests: readonly OutboxRequest[] }
  outboxReport: Refused | { readonly kind: "answer" }
}

/** No clocks are further apart than that and still named in milliseconds. */
const mostMs = 8.64e15

const offset = z.int().min(-mostMs).max(mostMs)

/**
 * How far the venue's clock is ahead of this machine's, in milliseconds, by the `Date` of an answer: no less
 * than `leastMs` and no more than `mostMs`. Negative where it is behind.
 */
const venueClockSchema = z.strictObject({ leastMs: offset, mostMs: offset })
export type VenueClockReading = z.infer<typeof venueClockSchema>

/** What the gate tells of a request that it forwarded. */
export const reportSchema = z.strictObject({
  token,
  record,
  outcome: outcomeSchema,
  venueClock: venueClockSchema.optional(),
})
