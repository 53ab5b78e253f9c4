import type { Mismatch } from "../../../src/vault/policy/decision.ts"
import type { Rule } from "../../../src/vault/policy/policy.ts"
import type { Subject } from "../../../src/vault/policy/subject.ts"

/** What is wrong with an approval by a rule. */
export function approvalMismatch(rule: Rule, subject: Subject): Mismatch | undefined {
  const { operation, payload, key } = subject.request
  if (operation !== "approveAgent") return undefined
  if (payload.kind !== "approve_agent") {
    return { reason: "approval_unreadable", asked: operation, allowed: null }
  }
  const { agentAddress, authorizedAddress, validDays } = payload.approval
  const { agentAddresses, authorizedAddresses, maxValidDays } = rule
  const agents = agentAddresses === "held" ? [...subject.circumstances.heldAgents] : agentAddresses
  if (!agents.includes(agentAddress)) {
    const allowed = agentAddresses === "held" ? "the agents held here" : agents.join(", ")
    return { reason: "agent_address_not_allowed", asked: agentAddress, allowed }
  }
  const authorized = [key.address, ...authorizedAddresses]
  if (!authorized.includes(authorizedAddress)) {
    const allowed = authorized.join(", ")
    return { reason: "authorized_address_not_allowed", asked: authorizedAddress, allowed }
  }
  if (validDays <= maxValidDays) return undefined
  const allowed = `${maxValidDays} days`
  return { reason: "valid_days_over_max", asked: `${validDays} days`, allowed }
}
