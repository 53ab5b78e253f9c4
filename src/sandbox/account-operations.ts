// The endpoints of agent keys: approve-agent as the interface has it, with an invented answer, and an
// invented revoke-agent and renew-agent.

import { keccak_256 } from "@noble/hashes/sha3.js"

import { concatBytes, toHex, utf8 } from "../std/bytes.ts"
import { err, ok } from "../std/result.ts"
import { checkFlat, checkFlow, noteFlow } from "./market/flows.ts"
import { marketAccount } from "./market/market.ts"
import { keepAccount } from "./market/versions.ts"
import { fieldsCheck, type Signed, typeAPlay, typeBPlay } from "./signing/signed-play.ts"
import {
  actionTags,
  addressWord,
  approveAgentType,
  createSubType,
  renewAgentType,
  revokeAgentType,
  transferType,
  uintWord,
  withdrawType,
} from "./signing/typed-hash.ts"
import {
  type AccountSettings,
  type Agent,
  approveAgent,
  isAccount,
  isOwn,
  renewAgent,
  revokeAgent,
  credit,
  debit,
  openEmpty,
} from "./state/accounts.ts"
import { reject, type Rejection } from "./state/error-codes.ts"
import { amount, type Body, type FieldTable, flag, integer, oneOf } from "./state/fields.ts"
import { decimalText, marketSymbols, readUnits } from "./state/market.ts"
import type { Outcome, Venue } from "./state/venue.ts"

const validDays = integer(1, 4_294_967_295) // uint32; that 0 is refused is invented

/** `POST /v1/account/approve-agent`: from now on the agent operates the signer's account. */
export const playApproveAgent = typeBPlay(approveAgentType, { valid_days: validDays }, (signed) => {
  const approved = approveAgent(signed.turn.venue.accounts, termOf(signed))
  return approved.ok ? ok(outcome(signed.body, "approved", approved.value)) : approved
})

/** `POST /v1/account/revoke-agent`: ends the approval at once. */
export const playRevokeAgent = typeBPlay(revokeAgentType, {}, ({ body, admitted, turn }) => {
  const agent = agentOf(body)
  const refused = revokeAgent(turn.venue.accounts, admitted.signer, agent)
  return refused === undefined
    ? ok({ data: { agent_address: agent }, note: `agent ${agent} revoked` })
    : err(refused)
})

/** `POST /v1/account/renew-agent`: the approval ends so many days from now. */
export const playRenewAgent = typeBPlay(renewAgentType, { valid_days: validDays }, (signed) => {
  const renewed = renewAgent(signed.turn.venue.accounts, termOf(signed))
  return renewed.ok ? ok(outcome(signed.body, "renewed", renewed.value)) : renewed
})

function agentOf(body: Body): string {
  return String(body["agent_address"]).toLowerCase()
}

function termOf({ body, admitted, turn }: Signed) {
  return {
    wallet: admitted.signer,
    agent: agentOf(body),
    validDays: Number(body["valid_days"]),
    nowMs: turn.nowMs,
  }
}

function outcome(body: Body, what: string, { expiresAtMs }: Agent): Outcome {
  const agent = agentOf(body)
  return {
    data: { agent_address: agent, expires_at: expiresAtMs },
    note: `agent ${agent} ${what} for ${Number(body["valid_days"])} days`,
  }
}

// Position mode, leverage and isolated margin. Bodies, answers and that they are Type A are invented.

const symbolId = integer(0, Number.MAX_SAFE_INTEGER)
const maxLeverage = 100

/** `POST /v1/account/position-mode` with `position_mode`. */
export const playPositionMode = typeAPlay(
  actionTags.setPositionMode,
  fieldsCheck(["position_mode"], { position_mode: oneOf("one_way", "hedge") }),
  ({ body, admitted, turn }) => {
    const mode = body["position_mode"] === "hedge" ? "hedge" : "one_way"
    const refused = checkFlat(turn.venue.market, admitted.account)
    if (refused !== undefined) return err(refused)
    settingsOf(turn.venue, admitted.account).positionMode = mode
    return ok({ data: { position_mode: mode }, note: `position mode ${mode}` })
  },
)

/** `POST /v1/account/leverage` with `symbol_id` and `leverage`. */
export const playLeverage = typeAPlay(
  actionTags.setLeverage,
  perpetualCheck({ leverage: integer(1, maxLeverage) }),
  ({ body, admitted, turn }) => {
    const leverage = Number(body["leverage"])
    const symbol = Number(body["symbol_id"])
    settingsOf(turn.venue, admitted.account).leverage.set(symbol, leverage)
    return ok({
      data: { symbol_id: symbol, leverage },
      note: `leverage ${leverage} in symbol ${symbol}`,
    })
  },
)

/** `POST /v1/account/isolated-margin` with `symbol_id`, `amount` and `is_add`: to and from the balance. */
export const playIsolatedMargin = typeAPlay(
  actionTags.adjustIsolatedMargin,
  perpetualCheck({ amount, is_add: flag }),
  ({ body, admitted, turn }) => {
    const symbol = Number(body["symbol_id"])
    const payment = {
      account: admitted.account,
      asset: quoteOf(symbol),
      amount: String(body["amount"]),
    }
    const { market } = turn.venue
    const { margin } = settingsOf(turn.venue, admitted.account)
    if (market !== undefined) marketAccount(market, admitted.account)
    const units = readUnits(payment.amount)
    const rest = (margin.get(symbol) ?? 0n) + (body["is_add"] === true ? units : -units)
    if (rest < 0n) {
      return reject("insufficient_margin", "The position doesn't hold that much margin.")
    }
    const { funds } = turn.venue
    if (body["is_add"] === true) {
      const refused = debit(funds, payment)
      if (refused !== undefined) return err(refused)
    } else {
      credit(funds, payment)
    }
    margin.set(symbol, rest)
    if (market !== undefined) keepAccount(market, admitted.account, turn.nowMs)
    const held = decimalText(rest)
    return ok({
      data: { symbol_id: symbol, isolated_margin: held },
      note: `isolated margin ${held} in symbol ${symbol}`,
    })
  },
)

/** An account's settings as a read shows them. */
export function listSettings(venue: Venue, account: string) {
  const { positionMode, leverage, margin } = settingsOf(venue, account)
  const perpetuals = marketSymbols.filter(({ market }) => market === "perp")
  return {
    position_mode: positionMode,
    symbols: perpetuals.map(({ id }) => ({
      symbol_id: id,
      leverage: leverage.get(id) ?? 1,
      isolated_margin: decimalText(margin.get(id) ?? 0n),
    })),
  }
}

function settingsOf({ settings }: Venue, account: string): AccountSettings {
  const known = settings.get(account)
  if (known !== undefined) return known
  const made: AccountSettings = { positionMode: "one_way", leverage: new Map(), margin: new Map() }
  settings.set(account, made)
  return made
}

function perpetualCheck(table: FieldTable): (body: Body) => Rejection | undefined {
  const check = fieldsCheck(["symbol_id", ...Object.keys(table)], { symbol_id: symbolId, ...table })
  return (body) => check(body) ?? checkPerpetual(body)
}

function checkPerpetual(body: Body): Rejection | undefined {
  const symbol = marketSymbols.find(({ id }) => id === body["symbol_id"])
  if (symbol === undefined) {
    return reject("unknown_symbol", "The sandbox doesn't trade this symbol_id.").error
  }
  return symbol.market === "perp"
    ? undefined
    : reject("perpetual_only", `${symbol.name} is a spot symbol.`).error
}

function quoteOf(symbolIdNumber: number): string {
  return marketSymbols.find(({ id }) => id === symbolIdNumber)?.quote ?? ""
}

// Sub-accounts, transfers and withdrawals, on pretend balances. All of it is invented.

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
  const { accounts, funds, market } = turn.venue
  const source = String(body["source"]).toLowerCase()
  const destination = String(body["destination"]).toLowerCase()
  if (!isOwn(accounts, admitted.signer, source)) {
    return reject("unknown_account", "source is neither the signer's account nor its sub-account.")
  }
  if (destination !== admitted.signer && !isAccount(accounts, destination)) {
    return reject("unknown_account", "The sandbox has no account at destination.")
  }
  const sum = { asset: String(body["asset"]), amount: String(body["amount"]) }
  const refused =
    checkFlow(market, [source, destination], sum) ?? debit(funds, { account: source, ...sum })
  if (refused !== undefined) return err(refused)
  credit(funds, { account: destination, ...sum })
  const { nowMs } = turn
  noteFlow(market, source, { ...sum, isIn: false, nowMs })
  noteFlow(market, destination, { ...sum, isIn: true, nowMs })
  return ok({ data: { source, destination, ...sum }, note: "transferred" })
})

/** `POST /v1/account/withdraw`: out of the wallet's account, to nowhere. */
export const playWithdraw = typeBPlay(withdrawType, { amount }, ({ body, admitted, turn }) => {
  const sum = { asset: String(body["asset"]), amount: String(body["amount"]) }
  const { funds, market } = turn.venue
  const refused =
    checkFlow(market, [admitted.signer], sum) ?? debit(funds, { account: admitted.signer, ...sum })
  if (refused !== undefined) return err(refused)
  noteFlow(market, admitted.signer, { ...sum, isIn: false, nowMs: turn.nowMs })
  const destination = String(body["destination"]).toLowerCase()
  return ok({ data: { destination, ...sum }, note: "withdrawn" })
})

/** An address whose key nobody has, the same for the same wallet and number. */
function subAddress(wallet: string, number: number): string {
  const seed = concatBytes(utf8("sandbox sub-account"), addressWord(wallet), uintWord(number))
  return toHex(keccak_256(seed).subarray(12))
}
