// What all plays of one signing type have in common.

import { ok, type Result } from "../../std/result.ts"
import { reject, type Rejection } from "../state/error-codes.ts"
import {
  checkFields,
  checkRequired,
  integer,
  text,
  type Body,
  type FieldTable,
} from "../state/fields.ts"
import { sandboxChainId, sandboxServiceChain } from "../state/market.ts"
import type { Outcome, Play, WriteTurn } from "../state/turn.ts"
import { admitTypeA, admitTypeB, signedFields, type Admitted } from "./admit.ts"
import { structOfBody, tableOfType } from "./struct-of-body.ts"

/** A request that was admitted and whose fields are checked. */
export type Signed = {
  readonly body: Body
  readonly admitted: Admitted
  readonly turn: WriteTurn
}

/** Lets a signed request do what it is for, or refuses it and does nothing. */
export type Perform = (signed: Signed) => Result<Outcome, Rejection>

/** Plays a Type A endpoint: who signed it is asked first, then what the body holds. */
export function typeAPlay(
  actionTag: number,
  check: (body: Body) => Rejection | undefined,
  perform: Perform,
): Play {
  return (body, turn) => {
    const admitted = admitTypeA(body, actionTag, turn)
    if (!admitted.ok) return admitted
    const misfit = check(body)
    if (misfit !== undefined) return { ok: false, error: misfit }
    return completed(perform({ body, admitted: admitted.value, turn }), admitted.value)
  }
}

/** Plays a Type B endpoint. `table` holds what is asked of fields beyond their types in the struct. */
export function typeBPlay(structType: string, table: FieldTable, perform: Perform): Play {
  const fields: FieldTable = {
    ...signedFields.table,
    ...tableOfType(structType),
    service_chain: text,
    signature_chain_id: integer(0, Number.MAX_SAFE_INTEGER),
    ...table,
  }
  const names = [...new Set([...signedFields.names, ...Object.keys(fields)])]
  const required = names.filter((name) => name !== "target_address")
  return (body, turn) => {
    const misfit = checkRequired(body, required) ?? checkFields(body, fields) ?? checkNetwork(body)
    if (misfit !== undefined) return { ok: false, error: misfit }
    const admitted = admitTypeB(body, structOfBody(structType, body), turn)
    if (!admitted.ok) return admitted
    const outcome = perform({ body, admitted: admitted.value, turn })
    if (outcome.ok) turn.venue.accounts.wallets.add(admitted.value.signer)
    return completed(outcome, admitted.value)
  }
}

/** A check that some fields are there and right. */
export function fieldsCheck(
  required: readonly string[],
  table: FieldTable,
): (body: Body) => Rejection | undefined {
  return (body) => checkRequired(body, required) ?? checkFields(body, table)
}

function completed(
  outcome: Result<Outcome, Rejection>,
  { signingHash, paidBy }: Admitted,
): Result<Outcome, Rejection> {
  if (!outcome.ok) return outcome
  const { data, note } = outcome.value
  return ok({
    data: { tx_hash: signingHash, ...data },
    note: paidBy === "reserve" ? `${note}, from the reserve` : note,
  })
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
