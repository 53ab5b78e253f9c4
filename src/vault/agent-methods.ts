import type { AdminParams, AdminResults } from "../link/methods.ts"
import { Fault } from "../std/fault.ts"
import { approveAgent } from "./agent-approval.ts"
import { renewAgent, revokeAgent } from "./agent-term.ts"
import { completeApproval } from "./complete-approval.ts"
import { agentOf } from "./follow-outcome.ts"
import { operatorName } from "./reference-prices.ts"
import { replaceKey } from "./replace-key.ts"
import { settleRecord } from "./settle-record.ts"
import type { Vault } from "./vault.ts"
import { keyView } from "./views.ts"

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
  const record = await vault.ledger.record(id, vault.clock.nowMs())
  if (record?.client !== operatorName) {
    throw new Fault("name_unknown", "The operator has sent nothing with this record.")
  }
  await settleRecord(record, outcome, vault)
  const key = agentOf(record, vault.active())
  return { key: key === undefined ? null : keyView(key, vault) }
}
