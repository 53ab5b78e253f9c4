import { err, ok, type Result } from "../../std/result.ts"
import { parseAddress, type Address } from "../address.ts"
import { approveAgentStruct } from "../endpoints.ts"
import type { FieldError, JsonObject, JsonValue } from "../json.ts"
import type { Profile } from "../profile.ts"
import { fieldError } from "./field-rules.ts"
import type { AgentApproval } from "./payload.ts"
import { checkStructBody } from "./struct-body.ts"

/** Parses the business fields of approveAgent: exactly the six documented ones. */
export function parseApproveAgent(
  body: JsonObject,
  typeB: Profile["typeB"],
): Result<AgentApproval, readonly FieldError[]> {
  const errors = [...checkStructBody(approveAgentStruct, body, typeB), ...checkValidDays(body)]
  const approval = approvalOf(body)
  return approval === undefined || errors.length > 0 ? err(errors) : ok(Object.freeze(approval))
}

function checkValidDays(body: JsonObject): readonly FieldError[] {
  if (body["valid_days"] !== 0) return []
  return [fieldError("/valid_days", "out_of_range", "send at least 1 day")]
}

/** `undefined` when a field can't be read; {@link checkStructBody} has reported it. */
function approvalOf(body: JsonObject): AgentApproval | undefined {
  const agentAddress = addressOf(body["agent_address"])
  const authorizedAddress = addressOf(body["authorized_address"])
  if (agentAddress === undefined || authorizedAddress === undefined) return undefined
  const { service_chain: serviceChain, signature_chain_id: signatureChainId } = body
  const { valid_days: validDays, label } = body
  if (typeof serviceChain !== "string" || typeof label !== "string") return undefined
  if (typeof signatureChainId !== "number" || typeof validDays !== "number") return undefined
  return { serviceChain, signatureChainId, agentAddress, authorizedAddress, validDays, label }
}

function addressOf(value: JsonValue | undefined): Address | undefined {
  return typeof value === "string" ? parseAddress(value) : undefined
}
