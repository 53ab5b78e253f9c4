import type { AdminParams } from "../../link/calls/methods.ts"
import type { SignedOperation } from "../../contract/signed.ts"
import { Fault } from "../../std/fault.ts"
import { snakeCase, uintBits, type StructField } from "../../venue/signing-hash.ts"
import type { JsonValue } from "../../venue/json.ts"
import { businessFields } from "../../venue/payload/struct-body.ts"
import type { OperationId, Profile } from "../../venue/profile.ts"
import type { ActiveSet } from "../active/active-set.ts"
import type { KeyEntry } from "../ledger/records/bindings.ts"
import type { ParsedRequest } from "../request/parse-request.ts"
import { agentNamed, agentToApprove, assertSendable, walletHeldFor } from "./agent-key.ts"
import { operationFields, type OperationSubject } from "./approve-agent.ts"
import { type OperatorSigning, parseOperation, signOperation } from "./operator-request.ts"

/**
 * `countersign agent revoke`: signs the end of an agent's approval, where the venue's struct is known.
 *
 * @throws {Fault} `undisclosed`, `name_unknown`, `usage`, `keyring_locked`.
 */
export function revokeAgent(
  { agent: name }: AdminParams["revokeAgent"],
  signing: OperatorSigning,
): Promise<SignedOperation> {
  return signOperation((set) => {
    const agent = agentNamed(name, set)
    if (agent.approval === "revoked")
      throw new Fault("usage", `The key ${name} is revoked already.`)
    return readTerm(agent, { operation: "revokeAgent", known: {} }, set)
  }, signing)
}

/**
 * `countersign agent renew`: signs a longer approval, where the venue's struct is known.
 *
 * @throws {Fault} as {@link revokeAgent}.
 */
export function renewAgent(
  { agent: name, validDays, label }: AdminParams["renewAgent"],
  signing: OperatorSigning,
): Promise<SignedOperation> {
  return signOperation((set) => {
    const agent = agentToApprove(name, set)
    return readTerm(agent, { operation: "renewAgent", known: { validDays, label } }, set)
  }, signing)
}

type Term = {
  readonly operation: "revokeAgent" | "renewAgent"
  readonly known: Pick<OperationSubject, "validDays" | "label">
}

function readTerm(agent: KeyEntry, { operation, known }: Term, set: ActiveSet): ParsedRequest {
  assertSendable(set)
  const wallet = walletHeldFor(agent, set, `send ${operation} to the venue with that wallet`)
  const fields = operationFields({ agent, wallet, ...known }, set)
  const body = JSON.stringify(bodyOf(operation, fields, set))
  return parseOperation({ operation, body, wallet }, set)
}

/** Of an operation that nothing is known of the body is empty: reading it says which line to add. */
function bodyOf(
  operation: OperationId,
  known: ReadonlyMap<string, JsonValue>,
  { profile }: ActiveSet,
): Readonly<Record<string, JsonValue>> {
  const signing = signingOf(operation, profile)
  if (signing === undefined) return {}
  if (signing.type === "A") throw bodyUndisclosed(operation)
  const names = businessFields(signing.struct).map((field) => {
    const name = snakeCase(field.name)
    if (known.has(name) && typeFits(field)) return name
    throw fieldUnknown(operation, field)
  })
  return Object.fromEntries(
    [...names, "signature_chain_id"].map((name) => [name, known.get(name) ?? null]),
  )
}

function signingOf(operation: OperationId, profile: Profile) {
  const signing = profile.endpoints.get(operation)?.signing
  return signing?.known === true ? signing.value : undefined
}

/** By its name alone a field could be meant otherwise. */
function typeFits({ name, type }: StructField): boolean {
  if (name === "validDays") return uintBits(type) !== undefined
  return type === (name === "serviceChain" || name === "label" ? "string" : "address")
}

function bodyUndisclosed(operation: OperationId): Fault {
  return new Fault(
    "undisclosed",
    `venue.yaml says that ${operation} is Type A, but not which fields its body has; send it yourself through the daemon, with a client that may use the wallet key.`,
  )
}

function fieldUnknown(operation: OperationId, { type, name }: StructField): Fault {
  return new Fault(
    "undisclosed",
    `The struct of ${operation} in venue.yaml has the field "${type} ${name}", which Countersign can't fill in; send it yourself through the daemon, with a client that may use the wallet key.`,
  )
}
