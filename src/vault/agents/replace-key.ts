import type { AdminParams, AdminResults } from "../../link/calls/methods.ts"
import { Fault } from "../../std/fault.ts"
import type { ActiveSet, Acts } from "../active/active-set.ts"
import { type KeyStates, keyView } from "../status/views.ts"
import type { LedgerTime } from "../process/clock.ts"
import { hasEnded, type KeyEntry } from "../ledger/records/bindings.ts"
import { agentNamed, agentToApprove } from "./agent-key.ts"

/**
 * Switches clients from one agent key to another of the same wallet, and retires the first. From the call
 * on, requests are signed by the second; those judged before are still answered with the first's signature.
 *
 * @throws {Fault} `name_unknown`, `usage`, `config_invalid` when a policy speaks of the first key alone.
 */
export async function replaceKey(
  { from, to }: AdminParams["replaceKey"],
  acts: Acts & KeyStates,
): Promise<AdminResults["replaceKey"]> {
  const set = acts.active()
  const [old, next] = [agentNamed(from, set), agentToApprove(to, set)]
  assertSuccessor(old, next)
  assertApproved(next, set, acts.now())
  assertPoliciesFollow(from, to, set)
  const clients = set.clients.filter(({ keys }) => keys.includes(from)).map(({ name }) => name)
  if (clients.length > 0 || !hasEnded(old)) await switchKeys(old, next, acts)
  const viewOf = (name: string) => keyView(agentNamed(name, acts.active()), acts)
  return { from: viewOf(from), to: viewOf(to), clients }
}

/** Queued together they share a commit, so that no crash leaves a successor without its targets. */
async function switchKeys(old: KeyEntry, next: KeyEntry, acts: Acts): Promise<void> {
  const { targets } = old
  const inherits = next.targets.length === 0 && targets.length > 0
  await Promise.all([
    ...(inherits ? [acts.act({ act: "key_targets_set", name: next.name, targets })] : []),
    acts.act({ act: "key_replaced", from: old.name, to: next.name }),
  ])
}

function assertSuccessor(old: KeyEntry, next: KeyEntry): void {
  if (old.name === next.name) {
    throw new Fault("usage", "A key can't take its own place; name another one.")
  }
  if (old.wallet === null || old.wallet !== next.wallet) {
    throw new Fault(
      "usage",
      `${old.name} and ${next.name} aren't agents of one wallet, so neither can take the other's place.`,
    )
  }
}

/** A successor that signs nothing, or soon only what reduces risk, would stop the bots. */
function assertApproved(next: KeyEntry, { config }: ActiveSet, nowMs: LedgerTime): void {
  const { name, approval, expires_at } = next
  const isLasting = expires_at === null || nowMs < expires_at - config.stopBeforeMs
  if (approval === "approved" && isLasting) return
  const why = approval === "approved" ? "ends too soon" : "isn't known here"
  throw new Fault(
    "usage",
    `The approval of ${name} ${why}; approve it with countersign agent approve ${name} first.`,
  )
}

/** What a policy denies or limits for the first key must not end with it, nor what it allows. */
function assertPoliciesFollow(from: string, to: string, { policies }: ActiveSet): void {
  const left = policies.find(
    ({ appliesTo: { keys } }) => keys?.includes(from) === true && !keys.includes(to),
  )
  if (left === undefined) return
  throw new Fault(
    "config_invalid",
    `The policy ${left.name} applies to the key ${from} and not to ${to}: add ${to} to its applies_to, run countersign policy reload, then this again.`,
  )
}
