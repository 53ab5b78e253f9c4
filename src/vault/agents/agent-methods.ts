import type { AdminParams, AdminResults } from "../../link/calls/methods.ts"
import { Fault } from "../../std/fault.ts"
import type { Vault } from "../core/vault.ts"
import { keyView } from "../status/views.ts"
import { operatorName } from "../ledger/records/bindings.ts"
import { agentOf, settleRecord } from "../request/settle-record.ts"
import { renewAgent, revokeAgent } from "./renew-agent.ts"
import { approveAgent } from "./approve-agent.ts"
import { completeApproval } from "./complete-approval.ts"
import { replaceKey } from "./replace-key.ts"

/**
 * The calls of an agent key's life. What they sign the caller sends, and then says by `settleOperation`
 * what became of it.
 */
export function agentMethods(vault: Vault) {
  return {
    approveAgent: (params: AdminParams["approveAgent"]) => approveAgent(params, vault),
    completeApproval: (params: AdminParams["completeApproval"]) => completeApproval(params, vault),
    revokeAgent: (params: AdminParams["revokeAgent"]) => revokeAgent(params, vault),
    renewAgent: (params: AdminParams["renewAgent"]) => renewAgent(params, vault),
    replaceKey: (params: AdminParams["replaceKey"]) => replaceKey(params, vault),
    settleOperation: (params: AdminParams["settleOperation"]) => settleOperation(params, vault),
  }
}

/** As the gate's report for a bot, of what the operator sent. @throws {Fault} `name_unknown`. */
async function settleOperation(
  { record: id, outcome }: AdminParams["settleOperation"],
  vault: Vault,
): Promise<AdminResults["settleOperation"]> {
  const record = await vault.ledger.record(id, vault.now())
  if (record?.client !== operatorName) {
    throw new Fault("name_unknown", "The operator has sent nothing with this record.")
  }
  await settleRecord(record, outcome, vault)
  const key = agentOf(record, vault.active())
  return { key: key === undefined ? null : keyView(key, vault) }
}
