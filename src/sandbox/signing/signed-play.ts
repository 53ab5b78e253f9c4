// What all plays of one signing type have in common.

import { err, ok, type Result } from "../../std/result.ts"
import { reject, type Rejection } from "../state/error-codes.ts"
import {
  address,
  type Body,
  type Check,
  checkFields,
  checkRequired,
  type FieldTable,
  integer,
  text,
} from "../state/fields.ts"
import { sandboxChainId, sandboxServiceChain } from "../state/market.ts"
import type { Outcome, Play, WriteTurn } from "../state/venue.ts"
import { type Admitted, admitTypeA, admitTypeB, signedFields } from "./admit.ts"
import { addressWord, stringWord, structHash, uintWord } from "./typed-hash.ts"

/** A request that was admitted and whose fields are checked. */
export type Signed = {
  readonly body: Body
  readonly admitted: Admitted
  readonly turn: WriteTurn
}

/** Lets a signed request do what it is for, or refuses it and does nothing. */
type Perform = (signed: Signed) => Result<Outcome, Rejection>

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
    if (misfit !== undefined) return err(misfit)
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
    if (misfit !== undefined) return err(misfit)
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

/** The struct hash of a Type B body whose fields are checked: the type's members, each from its field. */
export function structOfBody(structType: string, body: Body): Uint8Array {
  const words = membersOf(structType).map(({ type, field }) => wordOf(type, body[field]))
  return structHash(structType, ...words)
}

/** What each member's type asks of its field. */
function tableOfType(structType: string): FieldTable {
  return Object.fromEntries(membersOf(structType).map(({ type, field }) => [field, checkOf(type)]))
}

type Member = { readonly type: string; readonly field: string }

/** `Name(address signerAddress,…)` as types and names in snake_case. */
function membersOf(structType: string): readonly Member[] {
  const members = /\((.*)\)$/.exec(structType)?.[1] ?? ""
  return members.split(",").map((member) => {
    const [type = "", name = ""] = member.split(" ")
    return { type, field: name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) }
  })
}

function wordOf(type: string, value: unknown): Uint8Array {
  if (type === "address") return addressWord(String(value))
  return type === "string" ? stringWord(String(value)) : uintWord(Number(value))
}

function checkOf(type: string): Check {
  if (type === "address") return address
  if (type === "string") return text
  return integer(0, type === "uint32" ? 4_294_967_295 : Number.MAX_SAFE_INTEGER)
}
