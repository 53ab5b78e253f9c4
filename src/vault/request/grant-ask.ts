import { err, ok, type Result } from "../../std/result.ts"
import type { Order, Payload } from "../../venue/payload/payload.ts"
import { canonicalJson } from "../../venue/signing-hash.ts"
import type { ActiveSet } from "../active/active-set.ts"
import type { GrantAsk, HoldBinding } from "../ledger/records/hold.ts"
import type { HeldBy } from "../policy/terms.ts"
import type { ParsedRequest } from "./parse-request.ts"

/** A held request, and who holds it. */
export type HeldRequest = {
  readonly request: ParsedRequest
  readonly hold: HeldBy
  readonly set: Pick<ActiveSet, "policyHash" | "profile">
}

/** In these alone may requests under one grant differ. */
const free: ReadonlySet<string> = new Set(["price", "quantity", "client_order_id"])

/** What a held request asks of a grant; or why none is for it, in words. */
export function grantAskOf(
  { client, key, operation, target }: HoldBinding,
  { request, hold, set }: HeldRequest,
): Result<GrantAsk, string> {
  const order = operation === "placeOrder" ? plainOrder(request.payload) : undefined
  if (order === undefined)
    return err("only a single order without condition and legs can be granted")
  const { policy, name: rule } = hold
  if (!hold.grants)
    return err(`${policy}/${rule} says grants: false, or another entry holds it too`)
  const alike = Object.entries(request.business).filter(([name]) => !free.has(name))
  const like = canonicalJson(Object.fromEntries(alike), set.profile.canonicalForm)
  const policy_hash = set.policyHash
  const binding = { client, key, operation, target, like, policy, rule, policy_hash }
  return ok({ binding, quantity: order.quantity })
}

function plainOrder(payload: Payload): Order | undefined {
  if (payload.kind !== "orders" || payload.form !== "single") return undefined
  return payload.orders.find(
    ({ algoOrderType, conditional, tpsl }) => (algoOrderType ?? conditional ?? tpsl) === undefined,
  )
}
