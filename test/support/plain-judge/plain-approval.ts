import type { Rule } from "../../../src/vault/policy/terms.ts"
import type { Said } from "./plain-matchers.ts"
import type { PlainSubject } from "./plain-subject.ts"

/** What is wrong with an approval by a rule. */
export function approval(rule: Rule, { request, circumstances }: PlainSubject): Said | undefined {
  const { operation, payload, key } = request
  if (operation !== "approveAgent") return undefined
  if (payload.kind !== "approve_agent") {
    return { reason: "approval_unreadable", asked: operation, allowed: null }
  }
  const { agentAddress, authorizedAddress, validDays } = payload.approval
  const { agentAddresses, authorizedAddresses, maxValidDays } = rule
  const agents = agentAddresses === "held" ? [...circumstances.heldAgents()] : agentAddresses
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
