import type { Circumstances, JudgedRequest } from "./decision.ts"
import { readOrders, type JudgedOrder, type ReadOrder } from "./judged-order.ts"

/** A request as every entry sees it: its orders are read once. */
export type Subject = {
  readonly request: JudgedRequest
  readonly circumstances: Circumstances
  /** `undefined` when the request makes no orders or they can't be read. */
  readonly orders: readonly ReadOrder[] | undefined
  /** Entries and legs of all orders; empty without orders. */
  readonly parts: readonly JudgedOrder[]
}

/** Reads what the entries judge. */
export function subjectOf(request: JudgedRequest, circumstances: Circumstances): Subject {
  const orders = readOrders(request, circumstances)
  return { request, circumstances, orders, parts: orders?.flatMap(({ parts }) => parts) ?? [] }
}
