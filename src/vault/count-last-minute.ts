import type { ActiveSet } from "./active-set.ts"
import { payloadOf } from "./count-anew.ts"
import { budgetWindowMs, type Spending } from "./ledger/budgets.ts"
import type { Ledger, RecordedRequest } from "./ledger/ledger.ts"
import { recordedBody } from "./recorded-body.ts"
import { spendingOf } from "./spending.ts"

/**
 * Counts in the venue's rate budgets what was recorded within their window, for a start: the venue goes on
 * counting. A signature that was only given out again has no record of its own, so it isn't among these.
 */
export async function countLastMinute(
  set: ActiveSet,
  { ledger, nowMs }: { readonly ledger: Ledger; readonly nowMs: number },
): Promise<void> {
  const { isOn } = set.config.budgets
  if (!isOn.address && !isOn.ip) return
  for await (const request of ledger.history(nowMs - budgetWindowMs)) {
    const spending = recordedSpending(request, set)
    if (spending !== undefined) {
      ledger.budgets.countEarlier(spending, nowMs - request.countedAtMs)
    }
  }
}

function recordedSpending(request: RecordedRequest, set: ActiveSet): Spending | undefined {
  const { operation, client, signer, target, body } = request
  const endpoint = set.profile.endpoints.get(operation)
  if (endpoint === undefined) return undefined
  const payload = payloadOf(request, recordedBody(body), set)
  const parties = { signer, target: target ?? undefined }
  return spendingOf({ endpoint, payload, parties }, client, set)
}
