import type { CheckReport } from "../../contract/bot-views.ts"
import type { RefusalCode } from "../../contract/refusal.ts"
import { type Decimal, formatDecimal } from "../../venue/decimal.ts"
import type { Order } from "../../venue/payload/payload.ts"
import { canonicalJson } from "../../venue/signing-hash.ts"
import type { ActiveSet } from "../active/active-set.ts"
import type { ParsedRequest } from "./parse-request.ts"

/** Bounds the work that one check can cause; enough for 12 digits. */
const maxProbes = 40

const ofSize: readonly (RefusalCode | undefined)[] = [
  "policy_denied",
  "guard_exceeded",
  "limit_exhausted",
]

/**
 * The largest smaller quantity of a plain order that `wouldSign`, in steps of the asked one's last decimal; `undefined`
 * where not even one step would be signed, so that its size isn't what stops it.
 */
export function fitsOf(
  { refusal }: Pick<CheckReport, "refusal">,
  { request, set }: { readonly request: ParsedRequest; readonly set: ActiveSet },
  wouldSign: (smaller: ParsedRequest) => boolean,
): CheckReport["fits"] {
  const { business } = request
  const order = plainOrderOf(request)
  if (order === undefined || !ofSize.includes(refusal?.code)) return undefined
  const asOf = (quantity: Decimal): ParsedRequest => {
    const smaller = Object.freeze({ ...business, quantity: formatDecimal(quantity) })
    return Object.freeze({
      ...request,
      business: smaller,
      canonical: canonicalJson(smaller, set.profile.canonicalForm),
      payload: { kind: "orders", form: "single", orders: [{ ...order, quantity }] } as const,
    })
  }
  const { coefficient, scale } = order.quantity
  const steps = largestBelow(coefficient, (n) => wouldSign(asOf({ coefficient: n, scale })))
  return steps === 0n ? undefined : { quantity: formatDecimal({ coefficient: steps, scale }) }
}

function plainOrderOf({ payload, endpoint }: ParsedRequest): Order | undefined {
  if (payload.kind !== "orders" || endpoint.id !== "placeOrder") return undefined
  return payload.orders.find((order) => {
    return order.orderType !== undefined && order.algoOrderType === undefined
  })
}

/** The most from 1 that passes below one that doesn't, halving what is between; 0 where 1 doesn't pass. */
function largestBelow(asked: bigint, passes: (n: bigint) => boolean): bigint {
  if (asked <= 1n || !passes(1n)) return 0n
  let [low, high] = [1n, asked]
  for (let probes = 1; probes < maxProbes && high - low > 1n; probes += 1) {
    const middle = (low + high) / 2n
    if (passes(middle)) low = middle
    else high = middle
  }
  return low
}
