import type { AdminParams } from "../../link/calls/methods.ts"
import type { HoldView } from "../../link/views/views.ts"
import { Fault } from "../../std/fault.ts"
import type { Vault } from "../core/vault.ts"
import { operatorName } from "../ledger/records/bindings.ts"
import type { Hold } from "../ledger/records/hold.ts"

/** `countersign held list`: what waits for a person, and what was decided last. */
export function listHolds(vault: Vault): readonly HoldView[] {
  return vault.ledger.holds(vault.now()).map(holdView)
}

/** Of `status`: however many wait, and however long their bodies are, they fit a line of the socket. */
const shownHolds = 50
const shownBodyLength = 500

/** What waits for a person, the oldest first. */
export function waitingHolds(vault: Vault): readonly HoldView[] {
  return listHolds(vault)
    .filter(({ state }) => state === "pending")
    .slice(0, shownHolds)
    .map((hold) => ({ ...hold, body: hold.body.slice(0, shownBodyLength) }))
}

/** `countersign held release|refuse`: a person's word. @throws {Fault} `name_unknown`, `usage` when it no longer waits. */
export async function decideHold(
  { id, decision }: AdminParams["decideHold"],
  vault: Vault,
): Promise<HoldView> {
  const nowMs = vault.now()
  await vault.ledger.decideHold(id, { to: decision, by: operatorName }, nowMs)
  const hold = vault.ledger.holds(nowMs).find((each) => each.id === id)
  if (hold === undefined) throw new Fault("name_unknown", `There is no hold ${id}.`)
  return holdView(hold)
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
