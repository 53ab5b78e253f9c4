import type { AdminParams } from "../../link/calls/methods.ts"
import type { HoldView } from "../../link/views/views.ts"
import { Fault } from "../../std/fault.ts"
import type { ActiveSet, SetInForce } from "../active/active-set.ts"
import type { Ledger } from "../ledger/ledger.ts"
import { operatorName } from "../ledger/records/bindings.ts"
import type { Hold } from "../ledger/records/hold.ts"

/** What waits for a person, and what is judged by. */
type Holds = SetInForce & { readonly ledger: Pick<Ledger, "holds" | "decideHold"> }

/** `countersign held list`: what waits for a person, the oldest first, and then what was decided, the last first. */
export function listHolds({ ledger, now }: Holds): readonly HoldView[] {
  const holds = ledger.holds(now()).map(holdView)
  const [waiting, decided] = [holds.filter(isPending), holds.filter((each) => !isPending(each))]
  return [...waiting, ...decided.toReversed()]
}

function isPending({ state }: HoldView): boolean {
  return state === "pending"
}

/** Of `status`: however many wait, and however long their bodies are, they fit a line of the socket. */
const shownHolds = 50
const shownBodyLength = 500

/** What waits for a person, the oldest first, and could still be signed. */
export function waitingHolds(holds: Holds): readonly HoldView[] {
  return listHolds(holds)
    .filter((hold) => isPending(hold) && whyNever(hold, holds.active()) === undefined)
    .slice(0, shownHolds)
    .map((hold) => ({ ...hold, body: hold.body.slice(0, shownBodyLength) }))
}

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
  return holdView(hold)
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

/** Why what is held can't be signed whatever a person decides; `undefined` where it can. */
function whyNever(hold: HoldView, { usableKeys, clients }: ActiveSet): string | undefined {
  if (!usableKeys.has(hold.key)) return `The key ${hold.key} never signs again`
  const client = clients.find(({ name }) => name === hold.client)
  const isGone = client === undefined || client.tokenHash === null
  return isGone ? `The client ${hold.client} is revoked` : undefined
}

function holdView(hold: Hold): HoldView {
  return {
    id: hold.id,
    state: hold.state,
    client: hold.client,
    key: hold.key,
    operation: hold.operation,
    target: hold.target,
    policy: hold.policy,
    rule: hold.rule,
    body: hold.body,
    worst_case: hold.worst,
    expires_at: hold.expiresAtMs,
  }
}
