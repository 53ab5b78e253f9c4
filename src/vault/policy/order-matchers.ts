import type { SymbolTable } from "../../venue/profile.ts"
import type { Mismatch } from "./decision.ts"
import type { DenialReason } from "./denial-reason.ts"
import type { JudgedOrder, Reading } from "./judged-order.ts"
import { oncePer } from "./once-per.ts"
import { shortText, symbolText } from "./order-text.ts"
import { agrees, type Polarity } from "./polarity.ts"
import type { OrderMatchers } from "./policy.ts"

/** One matcher: whether an entry uses it, whether an order fits it, and what to say when it doesn't. */
export type OrderMatcher = {
  readonly isUsed: (matchers: OrderMatchers) => boolean
  readonly fits: (matchers: OrderMatchers, order: JudgedOrder, polarity: Polarity) => boolean
  readonly mismatch: (matchers: OrderMatchers, order: JudgedOrder, symbols: SymbolTable) => Mismatch
  /** What is compared, where an order fits when its reading agrees with a list. */
  readonly list?: {
    readonly listOf: (matchers: OrderMatchers) => readonly unknown[] | undefined
    readonly readingOf: (order: JudgedOrder) => Reading<unknown>
  }
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
      asked: () => `${partText(order)}flags ${listText(order.flags)}`,
      allowed: () => `with ${requireFlags.join(", ")}`,
    }),
  },
  {
    isUsed: ({ forbidFlags }) => forbidFlags !== undefined,
    fits: ({ forbidFlags = [] }, { flags }) => !forbidFlags.some((flag) => flags.includes(flag)),
    mismatch: ({ forbidFlags = [] }, order) => ({
      reason: "flag_forbidden",
      asked: () => `${partText(order)}flags ${listText(order.flags)}`,
      allowed: () => `without ${forbidFlags.join(", ")}`,
    }),
  },
  listMatcher({
    reason: "position_side_not_allowed",
    listOf: (matchers) => matchers.positionSides,
    readingOf: (order) => order.positionSides,
    textOf: String,
  }),
  listMatcher({
    reason: "margin_mode_not_allowed",
    listOf: (matchers) => matchers.marginModes,
    readingOf: (order) => order.marginModes,
    textOf: String,
  }),
  listMatcher({
    reason: "stp_mode_not_allowed",
    listOf: (matchers) => matchers.stpModes,
    readingOf: (order) => order.stpModes,
    textOf: String,
  }),
  listMatcher({
    reason: "algo_order_type_not_allowed",
    listOf: (matchers) => matchers.algoOrderTypes,
    readingOf: (order) => order.algoOrderTypes,
    textOf: String,
  }),
  {
    isUsed: ({ clientOrderId }) => clientOrderId !== undefined,
    fits: ({ clientOrderId }, order, polarity) =>
      clientOrderId === undefined || agrees(order.clientOrderId, polarity, clientOrderId.matches),
    mismatch: ({ clientOrderId }, order) => ({
      reason: "client_order_id_not_allowed",
      asked: () => readingText(order.clientOrderId?.map(shortText)),
      allowed: clientOrderId?.source ?? null,
    }),
  },
]

/** Whether an entry asks anything of orders. */
export function usesOrderMatchers(matchers: OrderMatchers): boolean {
  return usedMatchers(matchers).length > 0
}

/** Whether an order or leg fits all that an entry asks of orders. */
export function fitsOrder(
  matchers: OrderMatchers,
  order: JudgedOrder,
  polarity: Polarity,
): boolean {
  return usedMatchers(matchers).every((matcher) => matcher.fits(matchers, order, polarity))
}

const usedMatchers = oncePer((matchers: OrderMatchers) =>
  orderMatchers.filter((matcher) => matcher.isUsed(matchers)),
)

/** What comes before a part's text, so that a refusal tells the entry from its legs. */
export function partText({ part }: JudgedOrder): string {
  return partTexts[part]
}

function listMatcher<Value>(field: {
  readonly reason: DenialReason
  readonly listOf: (matchers: OrderMatchers) => readonly Value[] | undefined
  readonly readingOf: (order: JudgedOrder) => Reading<Value>
  readonly textOf: (value: Value, symbols: SymbolTable) => string
}): OrderMatcher {
  return {
    list: field,
    isUsed: (matchers) => field.listOf(matchers) !== undefined,
    fits: (matchers, order, polarity) => {
      const list = field.listOf(matchers)
      if (list === undefined) return true
      return agrees(field.readingOf(order), polarity, (value) => list.includes(value))
    },
    mismatch: (matchers, order, symbols) => {
      const textOf = (value: Value): string => field.textOf(value, symbols)
      return {
        reason: field.reason,
        asked: () => `${partText(order)}${readingText(field.readingOf(order)?.map(textOf))}`,
        allowed: () => listText((field.listOf(matchers) ?? []).map(textOf)),
      }
    },
  }
}

const partTexts = {
  entry: "",
  take_profit: "take-profit leg: ",
  stop_loss: "stop-loss leg: ",
} as const

function readingText(reading: Reading<string>): string {
  return reading === undefined ? "unreadable" : listText(reading)
}

function listText(values: readonly string[]): string {
  return values.length === 0 ? "none" : values.join(", ")
}
