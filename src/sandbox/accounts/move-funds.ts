// Sub-accounts, transfers and withdrawals, on pretend balances. All of it is invented.

import { keccak_256 } from "@noble/hashes/sha3.js"

import { concatBytes, toHex, utf8 } from "../../std/bytes.ts"
import { ok } from "../../std/result.ts"
import { typeBPlay } from "../signing/signed-play.ts"
import {
  addressWord,
  createSubType,
  transferType,
  uintWord,
  withdrawType,
} from "../signing/typed-hash.ts"
import { isAccount, isOwn } from "../state/accounts.ts"
import { reject } from "../state/error-codes.ts"
import { amount } from "../state/fields.ts"
import { credit, debit, openEmpty } from "../state/funds.ts"

/** `POST /v1/account/create-sub`: an account that the wallet and its agents operate by `target_address`. */
export const playCreateSub = typeBPlay(createSubType, {}, ({ body, admitted, turn }) => {
  const { accounts, funds } = turn.venue
  const number = accounts.subs.size + 1
  const address = subAddress(admitted.signer, number)
  const label = String(body["label"])
  const owner = admitted.signer
  accounts.subs.set(address, { number, owner, label, createdAtMs: turn.nowMs })
  openEmpty(funds, address)
  return ok({ data: { sub_address: address, label }, note: `sub-account ${address} created` })
})

/** `POST /v1/account/transfer`: from the wallet's account or a sub-account of it to any account here. */
export const playTransfer = typeBPlay(transferType, { amount }, ({ body, admitted, turn }) => {
  const { accounts, funds } = turn.venue
  const source = String(body["source"]).toLowerCase()
  const destination = String(body["destination"]).toLowerCase()
  if (!isOwn(accounts, admitted.signer, source)) {
    return reject("unknown_account", "source is neither the signer's account nor its sub-account.")
  }
  if (destination !== admitted.signer && !isAccount(accounts, destination)) {
    return reject("unknown_account", "The sandbox has no account at destination.")
  }
  const sum = { asset: String(body["asset"]), amount: String(body["amount"]) }
  const refused = debit(funds, { account: source, ...sum })
  if (refused !== undefined) return { ok: false, error: refused }
  credit(funds, { account: destination, ...sum })
  return ok({ data: { source, destination, ...sum }, note: "transferred" })
})

/** `POST /v1/account/withdraw`: out of the wallet's account, to nowhere. */
export const playWithdraw = typeBPlay(withdrawType, { amount }, ({ body, admitted, turn }) => {
  const sum = { asset: String(body["asset"]), amount: String(body["amount"]) }
  const refused = debit(turn.venue.funds, { account: admitted.signer, ...sum })
  if (refused !== undefined) return { ok: false, error: refused }
  const destination = String(body["destination"]).toLowerCase()
  return ok({ data: { destination, ...sum }, note: "withdrawn" })
})

/** An address whose key nobody has, the same for the same wallet and number. */
function subAddress(wallet: string, number: number): string {
  const seed = concatBytes(utf8("sandbox sub-account"), addressWord(wallet), uintWord(number))
  return toHex(keccak_256(seed).subarray(12))
}
