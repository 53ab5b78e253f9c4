import type { Outcome } from "../link/methods.ts"
import { actFollowing } from "./follow-outcome.ts"
import type { StoredRecord } from "./ledger/ledger.ts"
import type { Vault } from "./vault.ts"

/**
 * Records what became of a request, and what follows from it for an agent key. `record` is as the ledger
 * told it just now.
 */
export async function settleRecord(
  record: StoredRecord,
  outcome: Outcome,
  vault: Vault,
): Promise<void> {
  const act = outcome.kind === "accepted" ? actFollowing(record, vault.active()) : undefined
  // Queued together they share a commit, so that no crash parts a revocation from what follows of it.
  await Promise.all([
    vault.ledger.settle(record.id, keptPart(outcome, record), vault.clock.nowMs()),
    ...(act === undefined ? [] : [vault.act(act)]),
  ])
}

/** Nobody can ask again for the answer of a request without an idempotency key. */
function keptPart(outcome: Outcome, { keepsAnswer }: StoredRecord): Outcome {
  if (keepsAnswer || !("answer" in outcome)) return outcome
  const { answer: _, ...rest } = outcome
  return rest
}
