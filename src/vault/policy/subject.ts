import type { Circumstances, JudgedRequest, Mismatch } from "./decision.ts"
import { readOrders, type JudgedOrder, type ReadOrder } from "./judged-order.ts"
import type { Rule } from "./policy.ts"

/** A request as every entry sees it: its orders are read once. */
export type Subject = {
  readonly request: JudgedRequest
  readonly circumstances: Circumstances
  /** `undefined` when the request makes no orders or they can't be read. */
  readonly orders: readonly ReadOrder[] | undefined
  /** Entries and legs of all orders; empty without orders. */
  readonly parts: readonly JudgedOrder[]
}

/** One thing that rules ask. What it reads of a request it reads once, for all rules that are tested. */
export type Check = (subject: Subject) => RuleTest

/** Tells what is wrong by a rule, or `undefined` when nothing is. */
export type RuleTest = (rule: Rule) => Mismatch | undefined

/** Reads what the entries judge. */
export function subjectOf(request: JudgedRequest, circumstances: Circumstances): Subject {
  const { operation, payload } = request
  const orders = readOrders(operation, payload, circumstances.profile.symbols)
  return { request, circumstances, orders, parts: orders?.flatMap(({ parts }) => parts) ?? [] }
}
