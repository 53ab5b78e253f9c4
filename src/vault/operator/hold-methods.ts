import type { AdminParams } from "../../link/calls/methods.ts"
import type { HoldView } from "../../link/views/views.ts"
import { Fault } from "../../std/fault.ts"
import type { Vault } from "../core/vault.ts"
import { hasEnded, operatorName } from "../ledger/records/bindings.ts"
import type { Hold } from "../ledger/records/hold.ts"

/** `countersign held list`: what waits for a person, the oldest first, and then what was decided, the last first. */
export function listHolds(vault: Vault): readonly HoldView[] {
  const holds = vault.ledger.holds(vault.now()).map(holdView)
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
export function waitingHolds(vault: Vault): readonly HoldView[] {
  return listHolds(vault)
    .filter((hold) => isPending(hold) && whyNever(hold, vault) === undefined)
    .slice(0, shownHolds)
    .map((hold) => ({ ...hold, body: hold.body.slice(0, shownBodyLength) }))
}

/** `countersign held release|refuse`: a person's word. @throws {Fault} `name_unknown`, `usage` when it no longer waits. */
export async function decideHold(
  { id, decision }: AdminParams["decideHold"],
  vault: Vault,
): Promise<HoldView> {
  const nowMs = vault.now()
  if (decision === "released") assertSignable(id, vault)
  await vault.ledger.decideHold(id, { to: decision, by: operatorName }, nowMs)
  const hold = vault.ledger.holds(nowMs).find((each) => each.id === id)
  if (hold === undefined) throw new Fault("name_unknown", `There is no hold ${id}.`)
  return holdView(hold)
}

/** A release would let nothing be signed. @throws {Fault} `usage` */
function assertSignable(id: string, vault: Vault): void {
  const hold = listHolds(vault).find((each) => each.id === id && isPending(each))
  const why = hold && whyNever(hold, vault)
  if (why === undefined) return
  throw new Fault(
    "usage",
    `${why}, so this request is never signed; countersign held refuse ${id} ends it.`,
  )
}

/** Why what is held can't be signed whatever a person decides; `undefined` where it can. */
function whyNever({ key: keyName, client: name }: HoldView, vault: Vault): string | undefined {
  const { keys, clients } = vault.active()
  const key = keys.get(keyName)
  if (key === undefined || hasEnded(key)) return `The key ${keyName} never signs again`
  const client = clients.find((each) => each.name === name)
  const isGone = client === undefined || client.tokenHash === null
  return isGone ? `The client ${name} is revoked` : undefined
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
