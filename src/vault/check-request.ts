import type { BotParams, BotResults } from "../link/methods.ts"
import type { Refusal } from "../link/refusal.ts"
import { authenticate } from "./authenticate.ts"
import { judgeRequest, readRequest } from "./prepare.ts"
import { refusalOf, refuse } from "./refuse.ts"
import type { Vault } from "./vault.ts"

/** Tells whether a request would be signed now, and why. Takes no nonce, signs nothing, counts nothing. */
export function checkRequest(call: BotParams["check"], vault: Vault): BotResults["check"] {
  const nowMs = vault.clock.nowMs()
  const set = vault.active()
  const client = authenticate(call.token, set, { count: vault.badTokens, nowMs })
  if (!client.ok) return refuse(client.error, null)

  const read = readRequest(call, client.value, set)
  if (!read.ok) return report(read.error, [])
  const decision = judgeRequest(read.value, client.value, { set, nowMs })
  if (decision.kind === "allow") return report(null, decision.verdicts)
  return report(refusalOf(decision), decision.kind === "refuse" ? decision.verdicts : [])
}

type Report = Extract<BotResults["check"], { kind: "answer" }>["report"]

function report(refusal: Refusal | null, verdicts: Report["verdicts"]): BotResults["check"] {
  return {
    kind: "answer",
    report: { would_sign: refusal === null, refusal, verdicts, limits: [] },
  }
}
