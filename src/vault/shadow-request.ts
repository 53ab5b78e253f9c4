import type { BotParams, BotResults } from "../link/methods.ts"
import { authenticate } from "./authenticate.ts"
import { checkRequest } from "./check-request.ts"
import { bindingOf } from "./hold-request.ts"
import { judgeRequest } from "./judge-request.ts"
import { readRequest } from "./read-request.ts"
import type { Vault } from "./vault.ts"

/**
 * Answers as a check does, and records the request, so that `policy replay` can judge it by other files:
 * a bot can so be tried against a policy before it trades. Nothing is signed or counted. What can't be
 * read isn't recorded, nor is anything while the disk is nearly full.
 */
export async function shadowRequest(
  call: BotParams["check"],
  vault: Vault,
): Promise<BotResults["check"]> {
  const answer = checkRequest(call, vault)
  if (answer.kind === "refused") return answer
  const nowMs = vault.clock.nowMs()
  const set = vault.active()
  const client = authenticate(call.token, set, { count: vault.badTokens, nowMs })
  const read = client.ok ? readRequest(call, client.value, set) : client
  if (!client.ok || !read.ok || vault.disk.low() !== undefined) return answer

  const decision = judgeRequest(read.value, client.value, { set, nowMs })
  const record = await vault.ledger.recordShadow(
    {
      ...bindingOf(read.value, client.value, set),
      path: read.value.endpoint.path,
      signer: read.value.parties.signer,
      policyHash: set.policyHash,
      sizes: decision.kind === "refuse" ? [] : decision.sizes,
    },
    nowMs,
  )
  return { ...answer, record }
}
