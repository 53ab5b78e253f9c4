import type { SymbolTable } from "../../venue/profile.ts"
import type { Mismatch } from "./decision.ts"
import type { DenialReason } from "./denial-reason.ts"
import type { JudgedOrder, Reading } from "./judged-order.ts"
import { symbolText } from "./order-text.ts"
import type { OrderMatchers } from "./policy.ts"

/** In a `rule` all that a field may stand for must be listed; in a `deny` one such value is enough. */
export type Polarity = "rule" | "deny"

/** One matcher: whether an entry uses it, whether an order fits it, and what to say when it doesn't. */
export type OrderMatcher = {
  readonly isUsed: (matchers: OrderMatchers) => boolean
  readonly fits: (matchers: OrderMatchers, order: JudgedOrder, polarity: Polarity) => boolean
  readonly mismatch: (matchers: OrderMatchers, order: JudgedOrder, symbols: SymbolTable) => Mismatch
}

/** Every order matcher, in the order in which a refusal names them. */
export const orderMatchers: readonly OrderMatcher[] = [
  listMatcher({
    reason: "symbol_not_allowed",
    listOf: (matchers) => matchers.symbols,
    readingOf: ({ order }) => [order.symbolId],
    textOf: symbolText,
  }),
  listMatcher({
    reason: "side_not_allowed",
    listOf: (matchers) => matchers.sides,
    readingOf: (order) => order.sides,
    textOf: String,
  }),
  listMatcher({
    reason: "order_type_not_allowed",
    listOf: (matchers) => matchers.orderTypes,
    readingOf: (order) => order.orderTypes,
    textOf: String,
  }),
  listMatcher({
    reason: "time_in_force_not_allowed",
    listOf: (matchers) => matchers.timeInForce,
    readingOf: (order) => order.timeInForce,
    textOf: String,
  }),
  {
    isUsed: ({ requireFlags }) => requireFlags !== undefined,
    fits: ({ requireFlags = [] }, { flags }) => requireFlags.every((flag) => flags.includes(flag)),
    mismatch: ({ requireFlags = [] }, order) => ({
      reason: "flag_required",
      asked: `${partText(order)}flags ${listText(order.flags)}`,
      allowed: `with ${requireFlags.join(", ")}`,
    }),
  },
  {
    isUsed: ({ forbidFlags }) => forbidFlags !== undefined,
    fits: ({ forbidFlags = [] }, { flags }) => !forbidFlags.some((flag) => flags.includes(flag)),
    mismatch: ({ forbidFlags = [] }, order) => ({
      reason: "flag_forbidden",
      asked: `${partText(order)}flags ${listText(order.flags)}`,
      allowed: `without ${forbidFlags.join(", ")}`,
    }),
  },
]

/** Whether an entry asks anything of orders. */
export function usesOrderMatchers(matchers: OrderMatchers): boolean {
  return orderMatchers.some((matcher) => matcher.isUsed(matchers))
}

function listMatcher<Value>(field: {
  readonly reason: DenialReason
  readonly listOf: (matchers: OrderMatchers) => readonly Value[] | undefined
  readonly readingOf: (order: JudgedOrder) => Reading<Value>
  readonly textOf: (value: Value, symbols: SymbolTable) => string
}): OrderMatcher {
  return {
    isUsed: (matchers) => field.listOf(matchers) !== undefined,
    fits: (matchers, order, polarity) => {
      const list = field.listOf(matchers)
      return list === undefined || agrees(list, field.readingOf(order), polarity)
    },
    mismatch: (matchers, order, symbols) => {
      const textOf = (value: Value): string => field.textOf(value, symbols)
      const reading = field.readingOf(order)
      return {
        reason: field.reason,
        asked: `${partText(order)}${reading === undefined ? "unreadable" : listText(reading.map(textOf))}`,
        allowed: listText((field.listOf(matchers) ?? []).map(textOf)),
      }
    },
  }
}

/** What can't be read agrees with no rule and with every deny. */
function agrees<Value>(
  list: readonly Value[],
  reading: Reading<Value>,
  polarity: Polarity,
): boolean {
  if (reading === undefined) return polarity === "deny"
  if (polarity === "deny") return reading.some((value) => list.includes(value))
  return reading.length > 0 && reading.every((value) => list.includes(value))
}

const partTexts = {
  entry: "",
  take_profit: "take-profit leg: ",
  stop_loss: "stop-loss leg: ",
} as const

function partText({ part }: JudgedOrder): string {
  return partTexts[part]
}

function listText(values: readonly string[]): string {
  return values.length === 0 ? "none" : values.join(", ")
}
