import type { Outcome } from "../link/outcome.ts"
import type { ActiveSet } from "./active-set.ts"
import { actFollowing } from "./follow-outcome.ts"
import type { StoredRecord } from "./ledger/ledger.ts"
import { rateAddress } from "./spending.ts"
import type { Vault } from "./vault.ts"

/**
 * Records what became of a request, and what follows from it for an agent key. `record` is as the ledger
 * told it just now.
 */
export async function settleRecord(
  record: StoredRecord,
  told: Outcome,
  vault: Vault,
): Promise<void> {
  const outcome = meaningOf(told, vault.active())
  const act = outcome.kind === "accepted" ? actFollowing(record, vault.active()) : undefined
  vault.autoFreeze.settled(record, outcome)
  correctBudget(record, outcome, vault)
  // Queued together they share a commit, so that no crash parts a revocation from what follows of it.
  await Promise.all([
    vault.ledger.settle(record.id, keptPart(outcome, record), vault.clock.nowMs()),
    ...(act === undefined ? [] : [vault.act(act)]),
  ])
}

/**
 * Where the venue says that a budget is spent, it has counted more than was counted here. A gate that lies
 * about it can only hold off what doesn't reduce risk, and make cancels of an address slower.
 */
function correctBudget({ signer, target }: StoredRecord, told: Outcome, vault: Vault): void {
  if (signer === null || told.kind !== "refused" || told.spent === undefined) return
  if (!vault.active().config.budgets.isOn[told.spent]) return
  vault.ledger.budgets.fill(told.spent, rateAddress({ signer, target: target ?? undefined }))
}

/** A nonce that is refused as used, when the same bytes may have been sent before, was used by those. */
function meaningOf(told: Outcome, { profile }: ActiveSet): Outcome {
  const isUsedByUs = told.kind === "refused" && told.again === true
  return isUsedByUs && told.code === profile.duplicateNonceCode
    ? { ...told, kind: "accepted" }
    : told
}

/** Nobody can ask again for the answer of a request without an idempotency key. */
function keptPart(outcome: Outcome, { keepsAnswer }: StoredRecord): Outcome {
  if (keepsAnswer || !("answer" in outcome)) return outcome
  return { ...outcome, answer: undefined }
}
