import type { OperationId } from "../venue/profile.ts"
import type { ActiveSet } from "./active-set.ts"

const cancels: readonly OperationId[] = ["cancelOrder", "cancelBatch", "cancelAll"]

/** What an operator should know though nothing is wrong enough to stop for. */
export function warningsOf(set: ActiveSet): readonly string[] {
  return [...cancelWarning(set), ...approvalWarnings(set)]
}

/** Orders that can be placed here but not cancelled here. */
function cancelWarning({ profile, policies }: ActiveSet): readonly string[] {
  const canCancel = cancels.some((id) => profile.endpoints.get(id)?.signing.known === true)
  const mayPlace = policies.some((policy) => policy.rules.length > 0)
  if (canCancel || !mayPlace) return []
  return [
    "A policy allows requests, but no cancel can be signed: add the action tags of cancelOrder, cancelBatch and cancelAll to venue.yaml.",
  ]
}

function approvalWarnings({ keys }: ActiveSet): readonly string[] {
  return [...keys.values()]
    .filter((key) => key.role === "agent" && key.approval === "unknown")
    .map(
      (key) =>
        `No approval of the agent key ${key.name} went through this daemon; it signs, and the venue decides.`,
    )
}
