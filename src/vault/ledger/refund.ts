import type { Claim } from "../policy/claim.ts"
import { groupClaims } from "./claim-groups.ts"

/** What a meter gets back when the venue refuses the only send of a request. */
export type Refund = Pick<Claim, "meter" | "window" | "amount" | "max">

/** What a request's claims would give back. */
export function refundsOf(claims: readonly Claim[]): readonly Refund[] {
  return groupClaims(claims.filter(({ release }) => release === "refused")).map(
    ({ meter, window, amount, max }) => ({ meter, window, amount, max }),
  )
}
