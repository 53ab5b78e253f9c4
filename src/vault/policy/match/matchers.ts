import type * as z from "zod"

import type { Address } from "../../../venue/address.ts"
import type { JudgedOrder, Subject, JudgedRequest } from "./judged-request.ts"
import { addressText, listOf } from "../values/scalars.ts"
import { hours } from "./hours.ts"
import { patternMatcher, sorted, type Matcher } from "./matcher.ts"
import { ofOrders } from "./order-matchers.ts"
import { where } from "./where.ts"

const targetAddresses: Matcher<readonly Address[], Subject, "target_address_not_allowed"> = {
  key: "target_addresses",
  schema: () => listOf(addressText),
  written: "list of addresses",
  meaning: "Accounts that the request operates: its target_address, or else its signer.",
  example: ["0x2222222222222222222222222222222222222222"],
  reason: "target_address_not_allowed",
  fits: (addresses, { request }) => addresses.includes(accountOf(request)),
  asked: ({ request }) => accountOf(request),
  allowed: (addresses) => addresses.join(", "),
  form: sorted,
  narrowedBy: "fewer",
}

/** The account that a request operates: its target, or else its signer. */
export function accountOf({ target, key }: JudgedRequest): Address {
  return target ?? key.address
}

const label = patternMatcher({
  key: "label",
  meaning: "A regular expression for approveAgent's whole label.",
  example: "bot-[0-9]+",
  unreadable: "another operation's: unreadable",
  reason: "label_not_allowed",
  speaksOf: new Set(["approveAgent"]),
  // Only approveAgent's label is documented; another operation's is read by `where`.
  read: ({ request: { payload } }: Subject) =>
    payload.kind === "approve_agent" ? [payload.approval.label] : undefined,
})

/** Every matcher of a request as a whole, in the order in which a rule asks them. */
const ofRequests = { targetAddresses, label, hours, where }

const all = { ...ofOrders, ...ofRequests }
type Table = typeof all

/** What an entry asks, by the names of the matchers. An absent matcher asks nothing. */
export type Matchers = {
  readonly [Name in keyof Table]?: z.output<ReturnType<Table[Name]["schema"]>> | undefined
}

/** Why a rule refuses what doesn't fit a matcher. */
export type MatcherReason = Table[keyof Table]["reason"]
export const matcherReasons = Object.values(all).map(({ reason }): MatcherReason => reason)

/** A matcher and its name in an entry. */
export type Named<On> = readonly [keyof Matchers, Matcher<unknown, On, MatcherReason>]

export const orderMatchers = Object.entries(ofOrders) as readonly Named<JudgedOrder>[]
export const requestMatchers = Object.entries(ofRequests) as readonly Named<Subject>[]
export const allMatchers: readonly Named<never>[] = [...orderMatchers, ...requestMatchers]

/** Whether an entry asks anything of orders. */
export function usesOrderMatchers(asked: Matchers): boolean {
  return orderMatchers.some(([name]) => asked[name] !== undefined)
}

/** Calls `use` for each matcher that an entry has, and returns the results. */
export function mapAsked<Result>(
  asked: Matchers,
  use: (matcher: Matcher<unknown, never>, value: unknown) => Result,
): readonly Result[] {
  return allMatchers
    .filter(([name]) => asked[name] !== undefined)
    .map(([name, matcher]) => use(matcher, asked[name]))
}
