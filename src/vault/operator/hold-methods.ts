import type { AdminParams } from "../../link/calls/methods.ts"
import type { HoldView } from "../../contract/bot-views.ts"
import { Fault } from "../../std/fault.ts"
import type { SetInForce } from "../active/active-set.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { grantOf } from "./grant-methods.ts"
import { operatorName } from "../ledger/records/bindings.ts"
import { holdView, isPending, listHolds, whyNever } from "../status/holds.ts"

/** What waits for a person, and what is judged by. */
type Holds = SetInForce & { readonly ledger: Pick<Ledger, "holds" | "decideHold"> }

/**
 * `countersign held release|refuse`: a person's word. A hold's body never changes, but what its numbers mean the files in
 * force say: the word is for what they said when it was shown.
 *
 * @throws {Fault} `name_unknown`, `usage` when it no longer waits, the files are others, or what is asked can't be granted.
 */
export async function decideHold(
  { id, decision, policy_hash, grant }: AdminParams["decideHold"],
  holds: Holds,
): Promise<HoldView> {
  const nowMs = holds.now()
  if (decision === "released") assertSignable(id, holds)
  if (policy_hash !== holds.active().policyHash) {
    throw new Fault(
      "usage",
      "The files in force have changed since this request was shown; it still waits. Look at it again.",
    )
  }
  const word =
    grant === undefined || decision === "refused"
      ? { to: decision }
      : ({ to: "granted", grant: grantOf(id, grant, holds) } as const)
  await holds.ledger.decideHold(id, { ...word, by: operatorName }, nowMs)
  const hold = holds.ledger.holds(nowMs).find((each) => each.hold === id)
  if (hold === undefined) throw new Fault("name_unknown", `There is no hold ${id}.`)
  return holdView(hold, holds.active())
}

/** A release would let nothing be signed. @throws {Fault} `usage` */
function assertSignable(id: string, holds: Holds): void {
  const hold = listHolds(holds).find((each) => each.id === id && isPending(each))
  const why = hold && whyNever(hold, holds.active())
  if (why === undefined) return
  throw new Fault(
    "usage",
    `${why}, so this request is never signed; countersign held refuse ${id} ends it.`,
  )
}
