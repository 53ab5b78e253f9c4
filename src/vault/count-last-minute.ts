import type { ActiveSet } from "./active-set.ts"
import { payloadOf } from "./count-anew.ts"
import { budgetWindowMs } from "./ledger/budget.ts"
import type { Spending } from "./ledger/budgets.ts"
import type { Ledger, RecordedRequest } from "./ledger/ledger.ts"
import { recordedBody } from "./recorded-body.ts"
import { spendingOf } from "./spending.ts"

/**
 * Counts in the venue's rate budgets what was recorded within their window, for a start: the venue goes on
 * counting. A signature that was only given out again has no record of its own, so it isn't among these.
 *
 * Where the clock was set back since, requests lie ahead of it: what the newest of these came within a window
 * of counts, each by how much older than that it is. So nothing counts as older than it is.
 */
export async function countLastMinute(
  set: ActiveSet,
  {
    ledger,
    nowMs,
  }: { readonly ledger: Pick<Ledger, "history" | "budgets">; readonly nowMs: number },
): Promise<void> {
  const { isOn } = set.config.budgets
  if (!isOn.address && !isOn.ip) return
  const recent = await withAges(ledger.history(nowMs - budgetWindowMs), nowMs)
  for (const { request, ageMs } of recent.toSorted((one, other) => other.ageMs - one.ageMs)) {
    const spending = recordedSpending(request, set)
    if (spending !== undefined) ledger.budgets.countEarlier(spending, ageMs)
  }
}

type Aged = { readonly request: RecordedRequest; readonly ageMs: number }

/** Of requests in the order of counting, those that may still count. */
async function withAges(
  history: AsyncIterable<RecordedRequest>,
  nowMs: number,
): Promise<readonly Aged[]> {
  const passed: Aged[] = []
  const ahead: RecordedRequest[] = []
  for await (const request of history) {
    const { countedAtMs } = request
    if (countedAtMs <= nowMs) passed.push({ request, ageMs: nowMs - countedAtMs })
    else ahead.push(request)
    while ((ahead[0]?.countedAtMs ?? Infinity) <= countedAtMs - budgetWindowMs) ahead.shift()
  }
  const newestMs = ahead.at(-1)?.countedAtMs ?? nowMs
  const aged = ahead.map((request) => ({ request, ageMs: newestMs - request.countedAtMs }))
  return [...passed, ...aged]
}

function recordedSpending(request: RecordedRequest, set: ActiveSet): Spending | undefined {
  const { operation, client, signer, target, body } = request
  const endpoint = set.profile.endpoints.get(operation)
  if (endpoint === undefined) return undefined
  const payload = payloadOf(request, recordedBody(body), set)
  const parties = { signer, target: target ?? undefined }
  return spendingOf({ endpoint, payload, parties }, client, set)
}
