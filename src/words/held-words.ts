// A held request in words, for a person who decides: the command line, the console and messages of the gate say the same.
// They are made of values that were parsed and of the operator's names. A bot's own texts aren't in them.

import type { HoldView, SymbolsView } from "../link/views/bot-views.ts"
import type { OperationId } from "../venue/profile.ts"
import { askedWords } from "./asked-words.ts"
import { worstWords } from "./worst-words.ts"

/** `buy 0.45 BTC-PERP at 63,000 limit, worst 28,350 USD, held by mm/large` */
export function heldWords(hold: HoldView, symbols: SymbolsView): string {
  const { words, unsaid } = askedWords(hold, symbols)
  return [
    words,
    ...(unsaid === 0 ? [] : [`${unsaid} ${unsaid === 1 ? "field" : "fields"} not shown`]),
    ...(hold.target === null ? [] : [`for the account ${hold.target}`]),
    ...totalWords(hold),
    `held by ${hold.policy}/${hold.rule}`,
  ].join(", ")
}

/** The same, and when it ends: `…; expires in 14 min` */
export function heldLine(hold: HoldView, symbols: SymbolsView, nowMs: number): string {
  return `${heldWords(hold, symbols)}; ${expiryWords(hold.expires_at - nowMs)}`
}

/** `expires in 14 min` */
export function expiryWords(leftMs: number): string {
  const seconds = Math.floor(leftMs / 1_000)
  if (seconds <= 0) return "expired"
  if (seconds >= 2 * 3_600) return `expires in ${Math.floor(seconds / 3_600)} h`
  return seconds >= 120 ? `expires in ${Math.floor(seconds / 60)} min` : `expires in ${seconds} s`
}

const ofOrders: readonly OperationId[] = [
  ...(["placeOrder", "modifyOrder", "cancelOrder", "chaseOrder"] as const),
  ...(["placeBatch", "modifyBatch", "cancelBatch"] as const),
]

/** Whether an operation is about more than the orders that it names; what isn't known is. */
export function isAccountWide(operation: string): boolean {
  return !ofOrders.some((each) => each === operation)
}

/** Of what makes no order there is none. */
function totalWords(hold: HoldView): readonly string[] {
  const { total } = worstWords(hold)
  if (total !== undefined) return [total]
  return makesOrders(hold) ? [`worst case: ${hold.worst_case}`] : []
}

function makesOrders({ operation }: HoldView): boolean {
  return !isAccountWide(operation) && !operation.startsWith("cancel")
}
