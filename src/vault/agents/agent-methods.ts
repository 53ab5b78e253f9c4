import type { SignedOperation } from "../../contract/signed.ts"
import type { AdminParams, AdminResults } from "../../link/calls/methods.ts"
import { Fault } from "../../std/fault.ts"
import type { JsonValue } from "../../venue/json.ts"
import { businessFields } from "../../venue/payload/struct-body.ts"
import type { OperationId, Profile } from "../../venue/profile.ts"
import { snakeCase, uintBits, type StructField } from "../../venue/signing-hash.ts"
import type { Acts, ActiveSet } from "../active/active-set.ts"
import { type KeyEntry, hasEnded } from "../ledger/records/bindings.ts"
import type { LedgerTime } from "../process/clock.ts"
import type { ParsedRequest } from "../request/parse-request.ts"
import { type KeyStates, keyView } from "../status/views.ts"
import {
  agentNamed,
  agentToApprove,
  assertSendable,
  walletHeldFor,
  type OperatorSigning,
  parseOperation,
  signOperation,
} from "./operator-request.ts"
import {
  approveAgent,
  completeApproval,
  operationFields,
  type OperationSubject,
} from "./approve-agent.ts"

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

/**
 * `countersign agent revoke`: signs the end of an agent's approval, where the venue's struct is known.
 *
 * @throws {Fault} `undisclosed`, `name_unknown`, `usage`, `keyring_locked`.
 */
function revokeAgent(
  { agent: name }: AdminParams["revokeAgent"],
  signing: OperatorSigning,
): Promise<SignedOperation> {
  return signOperation((set) => {
    const agent = agentNamed(name, set)
    if (agent.approval === "revoked")
      throw new Fault("usage", `The key ${name} is revoked already.`)
    return readTerm(agent, { operation: "revokeAgent" }, set)
  }, signing)
}

/**
 * `countersign agent renew`: signs a longer approval, where the venue's struct is known.
 *
 * @throws {Fault} as {@link revokeAgent}.
 */
function renewAgent(
  { agent: name, validDays, label }: AdminParams["renewAgent"],
  signing: OperatorSigning,
): Promise<SignedOperation> {
  return signOperation((set) => {
    const agent = agentToApprove(name, set)
    return readTerm(agent, { operation: "renewAgent", validDays, label }, set)
  }, signing)
}

function readTerm(
  agent: KeyEntry,
  {
    operation,
    ...known
  }: Pick<OperationSubject, "validDays" | "label"> & {
    readonly operation: "revokeAgent" | "renewAgent"
  },
  set: ActiveSet,
): ParsedRequest {
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

/**
 * Switches clients from one agent key to another of the same wallet, and retires the first. From the call
 * on, requests are signed by the second; those judged before are still answered with the first's signature.
 *
 * @throws {Fault} `name_unknown`, `usage`, `config_invalid` when a policy speaks of the first key alone.
 */
async function replaceKey(
  { from, to }: AdminParams["replaceKey"],
  acts: Acts & KeyStates,
): Promise<AdminResults["replaceKey"]> {
  const set = acts.active()
  const [old, next] = [agentNamed(from, set), agentToApprove(to, set)]
  assertSuccessor(old, next)
  assertApproved(next, set, acts.now())
  assertPoliciesFollow(from, to, set)
  const clients = set.clients.filter(({ keys }) => keys.includes(from)).map(({ name }) => name)
  if (clients.length > 0 || !hasEnded(old)) await switchKeys(old, next, acts)
  const viewOf = (name: string) => keyView(agentNamed(name, acts.active()), acts)
  return { from: viewOf(from), to: viewOf(to), clients }
}

/** Queued together they share a commit, so that no crash leaves a successor without its targets. */
async function switchKeys(old: KeyEntry, next: KeyEntry, acts: Acts): Promise<void> {
  const { targets } = old
  const inherits = next.targets.length === 0 && targets.length > 0
  await Promise.all([
    ...(inherits ? [acts.act({ act: "key_targets_set", name: next.name, targets })] : []),
    acts.act({ act: "key_replaced", from: old.name, to: next.name }),
  ])
}

function assertSuccessor(old: KeyEntry, next: KeyEntry): void {
  if (old.name === next.name) {
    throw new Fault("usage", "A key can't take its own place; name another one.")
  }
  if (old.wallet === null || old.wallet !== next.wallet) {
    throw new Fault(
      "usage",
      `${old.name} and ${next.name} aren't agents of one wallet, so neither can take the other's place.`,
    )
  }
}

/** A successor that signs nothing, or soon only what reduces risk, would stop the bots. */
function assertApproved(next: KeyEntry, { config }: ActiveSet, nowMs: LedgerTime): void {
  const { name, approval, expires_at } = next
  const isLasting = expires_at === null || nowMs < expires_at - config.stopBeforeMs
  if (approval === "approved" && isLasting) return
  const why = approval === "approved" ? "ends too soon" : "isn't known here"
  throw new Fault(
    "usage",
    `The approval of ${name} ${why}; approve it with countersign agent approve ${name} first.`,
  )
}

/** What a policy denies or limits for the first key must not end with it, nor what it allows. */
function assertPoliciesFollow(from: string, to: string, { policies }: ActiveSet): void {
  const left = policies.find(
    ({ appliesTo: { keys } }) => keys?.includes(from) === true && !keys.includes(to),
  )
  if (left === undefined) return
  throw new Fault(
    "config_invalid",
    `The policy ${left.name} applies to the key ${from} and not to ${to}: add ${to} to its applies_to, run countersign policy reload, then this again.`,
  )
}
