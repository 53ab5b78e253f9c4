import type * as z from "zod"

import type { JudgedOrder, Subject } from "../judged/judged-order.ts"
import { algoOrderTypes } from "./algo-order-types.ts"
import { clientOrderId } from "./client-order-id.ts"
import { forbidFlags, requireFlags } from "./flags.ts"
import { hours } from "./hours.ts"
import { label } from "./label.ts"
import { marginModes } from "./margin-modes.ts"
import type { Matcher } from "./matcher.ts"
import { orderTypes } from "./order-types.ts"
import { positionSides } from "./position-sides.ts"
import { sides } from "./sides.ts"
import { stpModes } from "./stp-modes.ts"
import { symbols } from "./symbols.ts"
import { targetAddresses } from "./target-addresses.ts"
import { timeInForce } from "./time-in-force.ts"
import { where } from "./where.ts"

/** Every matcher of orders and legs, in the order in which a rule asks them. */
const ofOrders = {
  symbols,
  sides,
  orderTypes,
  timeInForce,
  requireFlags,
  forbidFlags,
  positionSides,
  marginModes,
  stpModes,
  algoOrderTypes,
  clientOrderId,
}

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
