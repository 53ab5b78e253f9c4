// The endpoints of agent keys: approve-agent as the interface has it, with an invented answer, and an
// invented revoke-agent and renew-agent.

import { ok } from "../../std/result.ts"
import { typeBPlay, type Signed } from "../signing/signed-play.ts"
import { approveAgentType, renewAgentType, revokeAgentType } from "../signing/typed-hash.ts"
import { approveAgent, renewAgent, revokeAgent, type Agent } from "../state/accounts.ts"
import { integer, type Body } from "../state/fields.ts"
import type { Outcome } from "../state/turn.ts"

const validDays = integer(1, 4_294_967_295) // uint32; that 0 is refused is invented

/** `POST /v1/account/approve-agent`: from now on the agent operates the signer's account. */
export const playApproveAgent = typeBPlay(approveAgentType, { valid_days: validDays }, (signed) => {
  const approved = approveAgent(signed.turn.venue.accounts, termOf(signed))
  return approved.ok ? ok(outcome(signed.body, "approved", approved.value)) : approved
})

/** `POST /v1/account/revoke-agent`: ends the approval at once. */
export const playRevokeAgent = typeBPlay(revokeAgentType, {}, ({ body, admitted, turn }) => {
  const agent = agentOf(body)
  const refused = revokeAgent(turn.venue.accounts, admitted.signer, agent)
  return refused === undefined
    ? ok({ data: { agent_address: agent }, note: `agent ${agent} revoked` })
    : { ok: false, error: refused }
})

/** `POST /v1/account/renew-agent`: the approval ends so many days from now. */
export const playRenewAgent = typeBPlay(renewAgentType, { valid_days: validDays }, (signed) => {
  const renewed = renewAgent(signed.turn.venue.accounts, termOf(signed))
  return renewed.ok ? ok(outcome(signed.body, "renewed", renewed.value)) : renewed
})

function agentOf(body: Body): string {
  return String(body["agent_address"]).toLowerCase()
}

function termOf({ body, admitted, turn }: Signed) {
  return {
    wallet: admitted.signer,
    agent: agentOf(body),
    validDays: Number(body["valid_days"]),
    nowMs: turn.nowMs,
  }
}

function outcome(body: Body, what: string, { expiresAtMs }: Agent): Outcome {
  const agent = agentOf(body)
  return {
    data: { agent_address: agent, expires_at: expiresAtMs },
    note: `agent ${agent} ${what} for ${Number(body["valid_days"])} days`,
  }
}
