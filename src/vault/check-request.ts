import type { BotParams, BotResults } from "../link/methods.ts"
import type { CheckReport } from "../link/views.ts"
import type { Refusal } from "../link/refusal.ts"
import type { Client } from "./bindings.ts"
import { bindingOf, releaseFor, type Release } from "./hold-request.ts"
import { identify } from "./identify.ts"
import { judgeRequest } from "./judge-request.ts"
import { limitView } from "./limit-view.ts"
import { readRequest, type BodyCall } from "./read-request.ts"
import { budgetExhausted } from "./ledger/budget-exhausted.ts"
import { limitExhausted } from "./ledger/reserve.ts"
import type { Headroom } from "./ledger/meters.ts"
import { refuseNow } from "./refuse-now.ts"
import { refuse, wouldHold } from "./refuse.ts"
import { spendingOf } from "./spending.ts"
import type { Vault } from "./vault.ts"

/** Tells a bot whether its request would be signed now, and why. */
export function checkRequest(call: BotParams["check"], vault: Vault): BotResults["check"] {
  const client = identify(call.token, vault)
  if (!client.ok) return refuse(client.error, null)
  return { kind: "answer", report: explainRequest(call, client.value, vault), record: null }
}

/** Every rule's verdict and every limit's headroom for a request. Takes no nonce, signs nothing, counts nothing. */
export function explainRequest(call: BodyCall, client: Client, vault: Vault): CheckReport {
  const nowMs = vault.clock.nowMs()
  const set = vault.active()
  const read = readRequest(call, client, set)
  if (!read.ok) return report({ refusal: read.error })
  const decision = judgeRequest(read.value, client, { set, nowMs })
  const verdicts = decision.verdicts()
  if (decision.kind === "refuse") return report({ refusal: decision.refusal, verdicts })
  const { ledger } = vault
  const release = releaseFor(decision, bindingOf(read.value, client, set), { ledger, nowMs })
  const standing = ledger.headroom(decision.claims, nowMs)
  const short = ledger.budgets.shortage(spendingOf(read.value, client.name, set))
  return report({
    refusal:
      refuseNow(read.value, set, vault) ??
      heldOrSpent(release, standing, nowMs) ??
      (short === undefined ? null : budgetExhausted(short, nowMs)),
    verdicts,
    limits: standing.map((headroom) => limitView(headroom, nowMs)),
  })
}

function report({
  refusal,
  verdicts = [],
  limits = [],
}: Pick<CheckReport, "refusal"> & Partial<Pick<CheckReport, "verdicts" | "limits">>): CheckReport {
  return { would_sign: refusal === null, refusal, verdicts, limits }
}

/** What stands in the way of what the rules allow: a person's word, else a limit. */
function heldOrSpent(
  release: Release,
  standing: readonly Headroom[],
  nowMs: number,
): Refusal | null {
  if (release.kind === "missing") return wouldHold(release.held)
  const spent = standing.find(({ claim, fits }) => claim.mode === "enforce" && !fits)
  return spent === undefined ? null : limitExhausted(spent, nowMs)
}
