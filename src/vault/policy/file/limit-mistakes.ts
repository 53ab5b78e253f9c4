import type { OperationId } from "../../../venue/profile.ts"
import { orderMakingOperations } from "../judged/judged-order.ts"
import type { Counted, Limit } from "../terms/policy.ts"

type Asked = {
  readonly counted: Counted
  readonly per: Limit["per"]
  readonly endpoints?: readonly OperationId[] | undefined
  readonly symbols?: unknown
  readonly window: unknown
  readonly release?: Limit["release"] | undefined
}

/** What is wrong, reported at the `key` to change. */
type Mistake = { readonly key: string; readonly message: string }

/** Finds mistakes that make a limit refuse everything it covers, or never count anything. */
export function limitMistakes(asked: Asked): readonly Mistake[] {
  return known
    .filter(({ isIn }) => isIn(asked))
    .map(({ key, message }) => ({ key, message: message(orderless(asked.endpoints ?? [])) }))
}

/** Whether a limit without endpoints covers only operations that make orders, by what it counts and per what. */
export function speaksOfOrders(counted: Counted, per: Limit["per"]): boolean {
  return isSubmitted(counted) || counted.kind === "orders" || per === "symbol"
}

const known: readonly {
  readonly key: string
  readonly message: (orderless: string) => string
  readonly isIn: (asked: Asked) => boolean
}[] = [
  {
    key: "sum",
    message: () => "needs endpoints: the operations whose body has this field",
    isIn: ({ counted, endpoints }) => counted.kind === "field" && endpoints === undefined,
  },
  {
    key: "per",
    message: () => "a field of the body belongs to no symbol; tell assets apart with by",
    isIn: ({ counted, per }) => counted.kind === "field" && per === "symbol",
  },
  {
    key: "per",
    message: (operations) => `needs orders, and none are made by ${operations}`,
    isIn: ({ counted, per, endpoints }) =>
      counted.kind !== "field" && per === "symbol" && orderless(endpoints ?? []) !== "",
  },
  {
    key: "endpoints",
    message: (operations) => `nothing would be counted: no orders are made by ${operations}`,
    isIn: ({ counted, endpoints }) =>
      isSubmitted(counted) && endpoints?.some((id) => orderMakingOperations.has(id)) === false,
  },
  {
    key: "per",
    message: () => "can't be key or account with window: ever: a key's successor would begin anew",
    isIn: ({ window, per }) => window === "ever" && (per === "key" || per === "account"),
  },
  {
    key: "symbols",
    message: () => "must be listed, since window: ever keeps what it counts of each for good",
    isIn: ({ window, counted, per, symbols }) =>
      window === "ever" && !symbols && (per === "symbol" || counted.kind === "submitted_quantity"),
  },
  {
    key: "sum",
    message: () =>
      "can't have by with window: ever, since a body could begin a sum for good with any text",
    isIn: ({ window, counted }) =>
      window === "ever" && counted.kind === "field" && counted.by !== undefined,
  },
  {
    key: "release",
    message: () => "can't be refused with window: ever: what was signed counts for good",
    isIn: ({ window, release }) => window === "ever" && release === "refused",
  },
]

function isSubmitted({ kind }: Counted): boolean {
  return kind === "submitted_notional" || kind === "submitted_quantity"
}

function orderless(endpoints: readonly OperationId[]): string {
  return endpoints.filter((id) => !orderMakingOperations.has(id)).join(", ")
}
