import type { AdminParams, AdminResults } from "../../link/calls/methods.ts"
import { Fault } from "../../std/fault.ts"
import type { Signature } from "../keyring/keyring.ts"
import { parseSignature, recoverAddress } from "../keyring/signature.ts"
import type { LedgerTime } from "../process/clock.ts"
import type { StoredRecord } from "../ledger/records/entries.ts"
import { digestOf } from "../request/fill-in.ts"
import { agentOf, wasSignedElsewhere } from "../request/settle-record.ts"
import { agentToApprove } from "./agent-key.ts"
import {
  type OperatorRecords,
  parseOperation,
  signedOperation,
  walletElsewhere,
} from "./operator-request.ts"
import { utcText } from "../../std/time/time-words.ts"

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
  const record = awaited(await ledger.record(id, nowMs), nowMs)
  const set = active()
  agentToApprove(agentOf(record, set)?.name ?? "", set)
  const request = parseOperation(
    { operation: "approveAgent", body: record.body, wallet: walletElsewhere(record.signer, set) },
    set,
  )
  const { nonce, expiresAfterMs } = record
  const filling = { validity: { nonce, expiresAfterMs, record: record.id }, profile: set.profile }
  const signature = parseOrThrow(text.trim())
  const signer = recoverAddress(signature, digestOf(request, filling))
  if (signer !== record.signer) throw wrongSigner(signer, record.signer)
  return signedOperation(request, filling, { signature, now: nowMs })
}

/** A record that waits for a signature from elsewhere. */
type Awaited = StoredRecord & {
  readonly [Name in "signer" | "body" | "nonce" | "expiresAfterMs"]: NonNullable<StoredRecord[Name]>
}

function awaited(record: StoredRecord | undefined, nowMs: LedgerTime): Awaited {
  if (record?.operation !== "approveAgent" || !wasSignedElsewhere(record)) {
    throw new Fault(
      "name_unknown",
      "No approval with this record waits for a signature; countersign agent approve --external prints the record.",
    )
  }
  const { state } = record
  if (state === "accepted" || state === "refused") {
    throw new Fault("usage", `The venue has ${state} this approval already; nothing is left to do.`)
  }
  const request = requestOf(record)
  if (nowMs < request.expiresAfterMs) return request
  throw new Fault(
    "usage",
    `This approval expired at ${utcText(request.expiresAfterMs)}; make a new one with countersign agent approve --external.`,
  )
}

/** Only a refusal lacks any of these. */
function requestOf(record: StoredRecord): Awaited {
  const { signer, body, nonce, expiresAfterMs } = record
  if (signer === null || body === null || nonce === null || expiresAfterMs === null) {
    throw new Fault("internal", "A request's record lacks what it was signed with.")
  }
  return { ...record, signer, body, nonce, expiresAfterMs }
}

function parseOrThrow(text: string): Signature {
  const read = parseSignature(text)
  if (read.ok) return read.value
  throw new Fault("usage", read.error)
}

function wrongSigner(signer: string | undefined, wanted: string): Fault {
  const whose =
    signer === undefined ? "No key made this signature" : `This signature is that of ${signer}`
  return new Fault(
    "usage",
    `${whose} over this approval, and ${wanted} must sign it, exactly as it was printed.`,
  )
}
