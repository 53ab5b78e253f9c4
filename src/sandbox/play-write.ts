import { reject, type Rejection } from "./error-codes.ts"
import { cancelPaths, writeEndpoints } from "./endpoints.ts"
import type { Body } from "./fields.ts"
import { rememberNonce } from "./nonces.ts"
import { recordTransaction } from "./records.ts"
import type { Outcome, Turn } from "./venue.ts"
import type { Result } from "../std/result.ts"

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
