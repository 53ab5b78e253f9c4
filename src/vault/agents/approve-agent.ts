import type { AdminParams, AdminResults } from "../../link/calls/methods.ts"
import { Fault } from "../../std/fault.ts"
import { parseAddress, type Address } from "../../venue/address.ts"
import type { JsonValue } from "../../venue/json.ts"
import { typedData } from "../../venue/typed-data.ts"
import { type ActiveSet, walletAddressOf } from "../active/active-set.ts"
import { type KeyEntry } from "../ledger/records/bindings.ts"
import { defaultMaxValidDays } from "../policy/bounds/approve-agent-rule.ts"
import { typeBMessage } from "../request/fill-in.ts"
import { agentToApprove, assertSendable, walletHeldFor } from "./agent-key.ts"
import {
  type OperatorRecords,
  type OperatorSigning,
  parseOperation,
  reserveOperation,
  signOperation,
  walletElsewhere,
} from "./operator-request.ts"

type Ask = AdminParams["approveAgent"]

/** How long a wallet held elsewhere has for its signature. */
const elsewhereTtlMs = 15 * 60_000

/**
 * `countersign agent approve`: the agent's wallet key signs here, or the approval is described for a wallet
 * held elsewhere to sign.
 *
 * @throws {Fault} `name_unknown`, `usage`, `undisclosed`, `keyring_locked`.
 */
export async function approveAgent(
  ask: Ask,
  signing: OperatorSigning,
): Promise<AdminResults["approveAgent"]> {
  const set = signing.active()
  const agent = agentToApprove(ask.agent, set)
  // Not `>`: a number that isn't one compares as false, and must not pass.
  if (!(ask.validDays <= defaultMaxValidDays)) {
    throw new Fault("usage", `An agent is approved for at most ${defaultMaxValidDays} days.`)
  }
  assertSendable(set)
  if (ask.wallet !== undefined)
    return describe(ask, agent, { records: signing, set, text: ask.wallet })
  const wayOn = `have it sign: countersign agent approve ${agent.name} --wallet ADDRESS --external`
  const request = approvalBy(walletHeldFor(agent, set, wayOn), { ask, agent, set })
  return { kind: "signed", ...(await signOperation(request, signing, set)) }
}

async function describe(
  ask: Ask,
  agent: KeyEntry,
  at: { readonly records: OperatorRecords; readonly set: ActiveSet; readonly text: string },
): Promise<AdminResults["approveAgent"]> {
  const { records, set } = at
  const address = addressElsewhere(at.text, agent, set)
  const request = approvalBy(walletElsewhere(address, set), { ask, agent, set })
  if (request.signing.type !== "B") throw new Fault("internal", "An approval is Type B.")
  const reserved = await reserveOperation(request, records, set)
  const filling = { validity: reserved, profile: set.profile }
  const { domain, struct, values } = typeBMessage(request, request.signing, filling)
  return {
    kind: "to_be_signed",
    record: reserved.record,
    signer: address,
    typed_data: typedData(domain, struct, values),
    expires_after: reserved.expiresAfterMs,
  }
}

function approvalBy(
  wallet: KeyEntry,
  { ask, agent, set }: { readonly ask: Ask; readonly agent: KeyEntry; readonly set: ActiveSet },
) {
  const fields = operationFields({ agent, wallet, validDays: ask.validDays, label: ask.label }, set)
  const isHere = ask.wallet === undefined
  return parseOperation(
    {
      operation: "approveAgent",
      body: JSON.stringify(Object.fromEntries(fields)),
      wallet,
      ttlMs: ask.expiresInMs ?? (isHere ? undefined : elsewhereTtlMs),
    },
    set,
  )
}

/** A wallet elsewhere may approve an agent that belongs to nobody yet, or to it already. */
function addressElsewhere(text: string, agent: KeyEntry, set: ActiveSet): Address {
  const address = parseAddress(text)
  if (address === undefined) {
    throw new Fault(
      "usage",
      "The wallet's address has a wrong checksum; check it letter by letter.",
    )
  }
  const held = set.usableKeys.values().find((key) => key.address === address)
  if (held !== undefined) {
    throw new Fault(
      "usage",
      `This is the address of the key ${held.name}, which is held here; leave --external out.`,
    )
  }
  if (agent.wallet === null || walletAddressOf(agent, set) === address) return address
  throw new Fault(
    "usage",
    `${agent.name} is an agent of ${agent.wallet}; make another agent key for this wallet.`,
  )
}

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
