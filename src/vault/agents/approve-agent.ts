import type { AdminParams, AdminResults } from "../../link/calls/methods.ts"
import { Fault } from "../../std/fault.ts"
import { utcText } from "../../std/time/time-words.ts"
import { parseAddress, type Address } from "../../venue/address.ts"
import type { JsonValue } from "../../venue/json.ts"
import { typedData } from "../../venue/typed-data.ts"
import { type ActiveSet, walletAddressOf } from "../active/active-set.ts"
import { parseSignature, recoverAddress } from "../keyring/signature.ts"
import { isRequest } from "../ledger/found-records.ts"
import type { KeyEntry } from "../ledger/records/bindings.ts"
import type { RequestRow } from "../ledger/records/row.ts"
import type { FoundRecord } from "../ledger/store/store.ts"
import { defaultMaxValidDays } from "../policy/file/rule-schema.ts"
import type { LedgerTime } from "../process/clock.ts"
import { typeBMessage, digestOf } from "../request/fill-in.ts"
import type { ParsedRequest } from "../request/parse-request.ts"
import { agentOf, wasSignedElsewhere } from "../request/settle-record.ts"
import {
  agentToApprove,
  assertSendable,
  walletHeldFor,
  type OperatorRecords,
  type OperatorSigning,
  parseOperation,
  type ReadOperation,
  reserveOperation,
  signOperation,
  walletElsewhere,
  signedOperation,
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
  // Not `>`: a number that isn't one compares as false, and must not pass.
  if (!(ask.validDays <= defaultMaxValidDays)) {
    throw new Fault("usage", `An agent is approved for at most ${defaultMaxValidDays} days.`)
  }
  const read = (set: ActiveSet) => readApproval(ask, set)
  if (ask.wallet !== undefined) return describe(read, signing)
  return { kind: "signed", ...(await signOperation(read, signing)) }
}

function readApproval(ask: Ask, set: ActiveSet): ParsedRequest {
  const agent = agentToApprove(ask.agent, set)
  assertSendable(set)
  const wallet = walletOf(ask, agent, set)
  const { validDays, label, chainId } = ask
  const fields = operationFields({ agent, wallet, validDays, label, chainId }, set)
  const body = JSON.stringify(Object.fromEntries(fields))
  const ttlMs = ask.expiresInMs ?? (ask.wallet === undefined ? undefined : elsewhereTtlMs)
  return parseOperation({ operation: "approveAgent", body, wallet, ttlMs }, set)
}

function walletOf({ wallet }: Ask, agent: KeyEntry, set: ActiveSet): KeyEntry {
  if (wallet !== undefined) return walletElsewhere(addressElsewhere(wallet, agent, set), set)
  const wayOn = `have it sign: countersign agent approve ${agent.name} --wallet ADDRESS --external`
  return walletHeldFor(agent, set, wayOn)
}

function describe(
  read: ReadOperation,
  records: OperatorRecords,
): Promise<AdminResults["approveAgent"]> {
  return reserveOperation(read, records, (request, recorded) => {
    const { signing, parties } = request
    if (signing.type !== "B") throw new Fault("internal", "An approval is Type B.")
    const { domain, struct, values } = typeBMessage(request, signing, recorded)
    return {
      kind: "to_be_signed",
      record: recorded.validity.record,
      signer: parties.signer,
      typed_data: typedData(domain, struct, values),
      expires_after: recorded.validity.expiresAfterMs,
    }
  })
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
  readonly chainId?: number | undefined
}

/** The business fields that are known of an operation about an agent, by their names in the body. */
export function operationFields(
  { agent, wallet, validDays, label, chainId }: OperationSubject,
  { profile }: ActiveSet,
): ReadonlyMap<string, JsonValue> {
  const { serviceChain, signatureChainIds } = profile.typeB
  if (chainId !== undefined && !signatureChainIds.includes(chainId)) {
    const listed = signatureChainIds.join(", ")
    throw new Fault(
      "usage",
      `venue.yaml's signature_chain_ids has no ${chainId}; it has ${listed}.`,
    )
  }
  return new Map<string, JsonValue>([
    ["service_chain", serviceChain],
    ...entryOf("signature_chain_id", chainId ?? signatureChainIds[0]),
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

/**
 * Puts the signature of a wallet held elsewhere to the approval that was described for it. It keeps
 * nothing: the request is made anew from its record, and the signature must be that wallet's over it.
 *
 * @throws {Fault} `name_unknown`, `usage`.
 */
export async function completeApproval(
  { record: id, signature: text }: AdminParams["completeApproval"],
  { active, ledger, now }: OperatorRecords,
): Promise<AdminResults["completeApproval"]> {
  const nowMs = now()
  const row = awaited(await ledger.record(id), nowMs)
  const set = active()
  agentToApprove(agentOf(row, set)?.name ?? "", set)
  const request = parseOperation(
    { operation: "approveAgent", body: row.body, wallet: walletElsewhere(row.signer, set) },
    set,
  )
  const validity = { nonce: row.nonce, expiresAfterMs: row.expires_after, record: row.id }
  const filling = { validity, profile: set.profile }
  const signature = parseSignature(text.trim())
  if (!signature.ok) throw new Fault("usage", signature.error)
  const signer = recoverAddress(signature.value, digestOf(request, filling))
  if (signer !== row.signer) throw wrongSigner(signer, row.signer)
  return signedOperation(request, filling, { signature: signature.value, now: nowMs })
}

/** A request that waits for a signature from elsewhere. */
function awaited(found: FoundRecord | undefined, nowMs: LedgerTime): RequestRow {
  if (
    !isRequest(found) ||
    found.row.operation !== "approveAgent" ||
    !wasSignedElsewhere(found.row)
  ) {
    throw new Fault(
      "name_unknown",
      "No approval with this record waits for a signature; countersign agent approve --external prints the record.",
    )
  }
  const { row, heard } = found
  if (heard === "accepted" || heard === "refused") {
    throw new Fault("usage", `The venue has ${heard} this approval already; nothing is left to do.`)
  }
  if (nowMs < row.expires_after) return row
  throw new Fault(
    "usage",
    `This approval expired at ${utcText(row.expires_after)}; make a new one with countersign agent approve --external.`,
  )
}

function wrongSigner(signer: string | undefined, wanted: string): Fault {
  const whose =
    signer === undefined ? "No key made this signature" : `This signature is that of ${signer}`
  return new Fault(
    "usage",
    `${whose} over this approval, and ${wanted} must sign it, exactly as it was printed.`,
  )
}
