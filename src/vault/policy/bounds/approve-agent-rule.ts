import type { Address } from "../../../venue/address.ts"
import type { Mismatch } from "../terms/decision.ts"
import type { Subject } from "../judged/judged-order.ts"
import type { Rule } from "../terms/policy.ts"

/** The most days that an agent is approved for, if the rule doesn't say. */
export const defaultMaxValidDays = 90

/**
 * Checks approveAgent. The agent's key is held here or the rule names it. The signer authorizes it for its own
 * account, or for one that the rule names. The approval expires.
 */
export function approveAgentRule(rule: Rule, subject: Subject): Mismatch | undefined {
  const { operation, payload, key } = subject.request
  if (payload.kind !== "approve_agent") {
    return { reason: "approval_unreadable", asked: operation, allowed: null }
  }
  const { agentAddress, authorizedAddress, validDays } = payload.approval

  if (!isAgentAllowed(agentAddress, rule, subject)) {
    const allowed =
      rule.agentAddresses === "held" ? "the agents held here" : rule.agentAddresses.join(", ")
    return { reason: "agent_address_not_allowed", asked: agentAddress, allowed }
  }
  const authorized = [key.address, ...rule.authorizedAddresses]
  if (!authorized.includes(authorizedAddress)) {
    const allowed = authorized.join(", ")
    return { reason: "authorized_address_not_allowed", asked: authorizedAddress, allowed }
  }
  // Not `>`: NaN compares as false and must not pass.
  if (!(validDays <= rule.maxValidDays)) {
    const allowed = `${rule.maxValidDays} days`
    return { reason: "valid_days_over_max", asked: `${validDays} days`, allowed }
  }
  return undefined
}

function isAgentAllowed(address: Address, rule: Rule, { circumstances }: Subject): boolean {
  return rule.agentAddresses === "held"
    ? circumstances.heldAgents().has(address)
    : rule.agentAddresses.includes(address)
}
