import type { SymbolTable } from "../../venue/profile.ts"
import type { Mismatch } from "./decision.ts"
import type { DenialReason } from "./denial-reason.ts"
import { agrees, type JudgedOrder, type Polarity, type Reading } from "./judged-order.ts"
import { shortText, symbolText } from "./order-text.ts"
import type { OrderMatchers } from "./policy.ts"

/** One matcher: the key that asks it, whether an order fits it, and what to say when it doesn't. */
export type OrderMatcher = {
  readonly key: keyof OrderMatchers
  readonly fits: (matchers: OrderMatchers, order: JudgedOrder, polarity: Polarity) => boolean
  readonly mismatch: (matchers: OrderMatchers, order: JudgedOrder, symbols: SymbolTable) => Mismatch
}

/** Every order matcher, in the order in which a refusal names them. */
export const orderMatchers: readonly OrderMatcher[] = [
  listMatcher("symbols", "symbol_not_allowed"),
  listMatcher("sides", "side_not_allowed"),
  listMatcher("orderTypes", "order_type_not_allowed"),
  listMatcher("timeInForce", "time_in_force_not_allowed"),
  {
    key: "requireFlags",
    fits: ({ requireFlags = [] }, { flags }) => requireFlags.every((flag) => flags.includes(flag)),
    mismatch: ({ requireFlags = [] }, order) => ({
      reason: "flag_required",
      asked: () => `${partText(order)}flags ${listText(order.flags)}`,
      allowed: () => `with ${requireFlags.join(", ")}`,
    }),
  },
  {
    key: "forbidFlags",
    fits: ({ forbidFlags = [] }, { flags }) => !forbidFlags.some((flag) => flags.includes(flag)),
    mismatch: ({ forbidFlags = [] }, order) => ({
      reason: "flag_forbidden",
      asked: () => `${partText(order)}flags ${listText(order.flags)}`,
      allowed: () => `without ${forbidFlags.join(", ")}`,
    }),
  },
  listMatcher("positionSides", "position_side_not_allowed"),
  listMatcher("marginModes", "margin_mode_not_allowed"),
  listMatcher("stpModes", "stp_mode_not_allowed"),
  listMatcher("algoOrderTypes", "algo_order_type_not_allowed"),
  {
    key: "clientOrderId",
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
  return orderMatchers.some(({ key }) => matchers[key] !== undefined)
}

/** Whether an order or leg fits all that an entry asks of orders. */
export function fitsOrder(
  matchers: OrderMatchers,
  order: JudgedOrder,
  polarity: Polarity,
): boolean {
  return orderMatchers.every((matcher) => matcher.fits(matchers, order, polarity))
}

/** What comes before a part's text, so that a refusal tells the entry from its legs. */
export function partText({ part }: JudgedOrder): string {
  return partTexts[part]
}

/** What an entry lists under the same name as what an order can be. */
function listMatcher(
  key: Exclude<keyof OrderMatchers, "requireFlags" | "forbidFlags" | "clientOrderId">,
  reason: DenialReason,
): OrderMatcher {
  type Value = string | number
  const listOf = (matchers: OrderMatchers): readonly Value[] | undefined => matchers[key]
  const readingOf = (order: JudgedOrder): Reading<Value> => order[key]
  return {
    key,
    fits: (matchers, order, polarity) => {
      const list = listOf(matchers)
      return (
        list === undefined || agrees(readingOf(order), polarity, (value) => list.includes(value))
      )
    },
    mismatch: (matchers, order, symbols) => {
      const textOf = (value: Value) => valueText(value, symbols)
      return {
        reason,
        asked: () => `${partText(order)}${readingText(readingOf(order)?.map(textOf))}`,
        allowed: () => listText((listOf(matchers) ?? []).map(textOf)),
      }
    },
  }
}

/** The only numbers are symbols. */
function valueText(value: string | number, symbols: SymbolTable): string {
  return typeof value === "number" ? symbolText(value, symbols) : value
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
