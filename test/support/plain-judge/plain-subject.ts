import type {
  Circumstances,
  JudgedRequest,
} from "../../../src/vault/policy/match/judged-request.ts"
import type { Order } from "../../../src/venue/payload/payload.ts"
import type { Profile } from "../../../src/venue/profile.ts"
import { unitsOf } from "./plain-amount.ts"
import { plainOrders, type PlainOrder } from "./plain-order.ts"

/** A request as the plain judge sees it. */
export type PlainSubject = {
  readonly request: JudgedRequest
  readonly circumstances: Circumstances
  readonly profile: Profile
  /** `undefined` where the request makes none or they can't be read. */
  readonly orders: readonly PlainOrder[] | undefined
  /** The fresh reference price of an order's symbol, in units. */
  readonly referenceOf: (order: Order) => bigint | undefined
}

/** Reads a request. */
export function plainSubject(request: JudgedRequest, circumstances: Circumstances): PlainSubject {
  const { profile, referencePrice } = circumstances
  return {
    request,
    circumstances,
    profile,
    orders: plainOrders(request, profile),
    referenceOf: ({ symbolId }) => {
      const price = referencePrice(symbolId)
      return price && unitsOf(price)
    },
  }
}
