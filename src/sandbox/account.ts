// The write endpoints of the Account area that the sandbox plays: approve-agent as the interface has
// it, with an invented answer, and an invented revoke-agent and renew-agent.
import { ok } from "../std/result.ts"
import { approveAgent, renewAgent, revokeAgent } from "./accounts.ts"
import { admitTypeB, signedFields } from "./admit.ts"
import { reject, type Rejection } from "./error-codes.ts"
import {
  address,
  checkFields,
  checkRequired,
  integer,
  text,
  type Body,
  type FieldTable,
} from "./fields.ts"
import { sandboxChainId, sandboxServiceChain } from "./market.ts"
import { rememberNonce } from "./nonces.ts"
import {
  addressWord,
  approveAgentType,
  renewAgentType,
  revokeAgentType,
  stringWord,
  structHash,
  uintWord,
} from "./typed-hash.ts"
import type { Play } from "./venue.ts"

const revokeAgentTable: FieldTable = {
  service_chain: text,
  signature_chain_id: integer(0, Number.MAX_SAFE_INTEGER),
  agent_address: address,
}

const renewAgentTable: FieldTable = {
  ...revokeAgentTable,
  valid_days: integer(1, 4_294_967_295), // uint32; that 0 is refused is invented
}

const approveAgentTable: FieldTable = {
  ...renewAgentTable,
  authorized_address: address,
  label: text,
}

/** `POST /v1/account/approve-agent`: from now on the agent operates the signer's account. */
export const playApproveAgent: Play = (body, turn) => {
  const misfit = checkTypeB(body, approveAgentTable)
  if (misfit !== undefined) return { ok: false, error: misfit }
  const admitted = admitTypeB(body, approveAgentStruct(body), turn)
  if (!admitted.ok) return admitted

  const { signer, nonce, signingHash } = admitted.value
  const agent = String(body["agent_address"]).toLowerCase()
  const validDays = Number(body["valid_days"])
  const approved = approveAgent(turn.venue.accounts, {
    wallet: signer,
    agent,
    validDays,
    nowMs: turn.nowMs,
  })
  if (!approved.ok) return approved
  rememberNonce(turn.venue.nonces, signer, nonce)
  return ok({
    data: {
      tx_hash: signingHash,
      agent_address: agent,
      expires_at: approved.value.expiresAtMs,
    },
    note: `agent ${agent} approved for ${validDays} days`,
  })
}

/** `POST /v1/account/revoke-agent`: ends the approval at once. */
export const playRevokeAgent: Play = (body, turn) => {
  const misfit = checkTypeB(body, revokeAgentTable)
  if (misfit !== undefined) return { ok: false, error: misfit }
  const admitted = admitTypeB(body, revokeAgentStruct(body), turn)
  if (!admitted.ok) return admitted

  const { signer, nonce, signingHash } = admitted.value
  const agent = String(body["agent_address"]).toLowerCase()
  const refused = revokeAgent(turn.venue.accounts, signer, agent)
  if (refused !== undefined) return { ok: false, error: refused }
  rememberNonce(turn.venue.nonces, signer, nonce)
  return ok({
    data: { tx_hash: signingHash, agent_address: agent },
    note: `agent ${agent} revoked`,
  })
}

/** `POST /v1/account/renew-agent`: the approval ends so many days from now. */
export const playRenewAgent: Play = (body, turn) => {
  const misfit = checkTypeB(body, renewAgentTable)
  if (misfit !== undefined) return { ok: false, error: misfit }
  const admitted = admitTypeB(body, renewAgentStruct(body), turn)
  if (!admitted.ok) return admitted

  const { signer, nonce, signingHash } = admitted.value
  const agent = String(body["agent_address"]).toLowerCase()
  const validDays = Number(body["valid_days"])
  const { nowMs, venue } = turn
  const renewed = renewAgent(venue.accounts, { wallet: signer, agent, validDays, nowMs })
  if (!renewed.ok) return renewed
  rememberNonce(venue.nonces, signer, nonce)
  return ok({
    data: { tx_hash: signingHash, agent_address: agent, expires_at: renewed.value.expiresAtMs },
    note: `agent ${agent} renewed for ${validDays} days`,
  })
}

/** The struct hash of an approve-agent body whose fields are checked. */
export function approveAgentStruct(body: Body): Uint8Array {
  return structHash(
    approveAgentType,
    addressWord(String(body["signer_address"])),
    stringWord(String(body["service_chain"])),
    addressWord(String(body["agent_address"])),
    addressWord(String(body["authorized_address"])),
    uintWord(Number(body["valid_days"])),
    stringWord(String(body["label"])),
    uintWord(Number(body["nonce"])),
    uintWord(Number(body["expires_after"])),
  )
}

function revokeAgentStruct(body: Body): Uint8Array {
  return structHash(
    revokeAgentType,
    addressWord(String(body["signer_address"])),
    stringWord(String(body["service_chain"])),
    addressWord(String(body["agent_address"])),
    uintWord(Number(body["nonce"])),
    uintWord(Number(body["expires_after"])),
  )
}

function renewAgentStruct(body: Body): Uint8Array {
  return structHash(
    renewAgentType,
    addressWord(String(body["signer_address"])),
    stringWord(String(body["service_chain"])),
    addressWord(String(body["agent_address"])),
    uintWord(Number(body["valid_days"])),
    uintWord(Number(body["nonce"])),
    uintWord(Number(body["expires_after"])),
  )
}

function checkTypeB(body: Body, table: FieldTable): Rejection | undefined {
  return (
    checkRequired(body, [...signedFields.names, ...Object.keys(table)]) ??
    checkFields(body, { ...signedFields.table, ...table }) ??
    checkNetwork(body)
  )
}

function checkNetwork(body: Body): Rejection | undefined {
  if (body["service_chain"] !== sandboxServiceChain) {
    return reject("wrong_service_chain", `The sandbox's service_chain is ${sandboxServiceChain}.`)
      .error
  }
  return body["signature_chain_id"] === sandboxChainId
    ? undefined
    : reject("wrong_chain_id", `The sandbox's signature_chain_id is ${sandboxChainId}.`).error
}
