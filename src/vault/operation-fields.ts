import type { JsonValue } from "../venue/json.ts"
import type { ActiveSet } from "./active-set.ts"
import type { KeyEntry } from "./bindings.ts"

/** What an operator's operation is about. */
export type OperationSubject = {
  readonly agent: KeyEntry
  readonly wallet: KeyEntry
  readonly validDays?: number
  readonly label?: string
}

/** The business fields that are known of an operation about an agent, by their names in the body. */
export function operationFields(
  { agent, wallet, validDays, label }: OperationSubject,
  { profile }: ActiveSet,
): ReadonlyMap<string, JsonValue> {
  const { serviceChain, signatureChainIds } = profile.typeB
  const [chainId] = signatureChainIds
  return new Map<string, JsonValue>([
    ["service_chain", serviceChain],
    ...entryOf("signature_chain_id", chainId),
    ["agent_address", agent.address],
    ["authorized_address", wallet.address],
    ...entryOf("valid_days", validDays),
    ...entryOf("label", label),
  ])
}

function entryOf(
  name: string,
  value: JsonValue | undefined,
): readonly (readonly [string, JsonValue])[] {
  return value === undefined ? [] : [[name, value]]
}
