import type { AdminParams } from "../../link/calls/methods.ts"
import type { Acts } from "../active/active-set.ts"
import { renewAgent, revokeAgent } from "./renew-agent.ts"
import { approveAgent, completeApproval } from "./approve-agent.ts"
import type { OperatorSigning } from "./operator-request.ts"
import { replaceKey } from "./replace-key.ts"

/**
 * The calls of an agent key's life. What they sign the caller sends, and then says by `settleOperation`
 * what became of it.
 */
export function agentMethods(parts: Acts & OperatorSigning) {
  return {
    approveAgent: (params: AdminParams["approveAgent"]) => approveAgent(params, parts),
    completeApproval: (params: AdminParams["completeApproval"]) => completeApproval(params, parts),
    revokeAgent: (params: AdminParams["revokeAgent"]) => revokeAgent(params, parts),
    renewAgent: (params: AdminParams["renewAgent"]) => renewAgent(params, parts),
    replaceKey: (params: AdminParams["replaceKey"]) => replaceKey(params, parts),
  }
}
