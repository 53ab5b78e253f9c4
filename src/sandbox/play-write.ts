import type { Result } from "../std/result.ts"
import { cancelPaths, writeEndpoints } from "./endpoints.ts"
import { reject, type Rejection } from "./state/error-codes.ts"
import type { Body } from "./state/fields.ts"
import { rememberNonce } from "./state/nonces.ts"
import { recordTransaction } from "./state/records.ts"
import type { Outcome, Turn } from "./state/turn.ts"

/** Plays a write whose body is JSON. What is accepted uses its nonce up and becomes a transaction. */
export function playWrite(path: string, body: Body, turn: Turn): Result<Outcome, Rejection> {
  const endpoint = writeEndpoints.get(path)
  if (endpoint === undefined) return reject("unknown_path", "The sandbox has no such path.")
  const addressWeight = endpoint.weight(body)
  const isCancel = cancelPaths.includes(path)
  const outcome = endpoint.play(body, { ...turn, addressWeight, isCancel })
  if (!outcome.ok) return outcome

  const { venue, nowMs } = turn
  const signer = String(body["signer_address"]).toLowerCase()
  const nonce = Number(body["nonce"])
  rememberNonce(venue.nonces, signer, nonce)
  recordTransaction(venue.records, {
    tx_hash: String(outcome.value.data["tx_hash"]),
    signer_address: signer,
    path,
    nonce,
    record_time: nowMs,
  })
  return outcome
}
