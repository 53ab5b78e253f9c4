import type { AdminParams } from "../../link/calls/methods.ts"
import type { HoldView } from "../../link/views/views.ts"
import { Fault } from "../../std/fault.ts"
import type { SetInForce } from "../active/active-set.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { operatorName } from "../ledger/records/bindings.ts"
import { holdView, isPending, listHolds, whyNever } from "../status/holds.ts"

/** What waits for a person, and what is judged by. */
type Holds = SetInForce & { readonly ledger: Pick<Ledger, "holds" | "decideHold"> }

/** `countersign held release|refuse`: a person's word. @throws {Fault} `name_unknown`, `usage` when it no longer waits. */
export async function decideHold(
  { id, decision }: AdminParams["decideHold"],
  holds: Holds,
): Promise<HoldView> {
  const nowMs = holds.now()
  if (decision === "released") assertSignable(id, holds)
  await holds.ledger.decideHold(id, { to: decision, by: operatorName }, nowMs)
  const hold = holds.ledger.holds(nowMs).find((each) => each.id === id)
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
