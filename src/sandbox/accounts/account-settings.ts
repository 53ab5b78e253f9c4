// Position mode, leverage and isolated margin. Bodies, answers and that they are Type A are invented.

import { ok } from "../../std/result.ts"
import { actionTags } from "../signing/action-tags.ts"
import { fieldsCheck, typeAPlay } from "../signing/signed-play.ts"
import { decimalText, readUnits } from "../state/decimal.ts"
import { reject, type Rejection } from "../state/error-codes.ts"
import { amount, flag, integer, oneOf, type Body, type FieldTable } from "../state/fields.ts"
import { credit, debit } from "../state/funds.ts"
import { marketSymbols } from "../state/market.ts"
import type { AccountSettings } from "../state/settings-by-account.ts"
import type { Venue } from "../state/turn.ts"

const symbolId = integer(0, Number.MAX_SAFE_INTEGER)
const maxLeverage = 100

/** `POST /v1/account/position-mode` with `position_mode`. */
export const playPositionMode = typeAPlay(
  actionTags.setPositionMode,
  fieldsCheck(["position_mode"], { position_mode: oneOf("one_way", "hedge") }),
  ({ body, admitted, turn }) => {
    const mode = body["position_mode"] === "hedge" ? "hedge" : "one_way"
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
    const { margin } = settingsOf(turn.venue, admitted.account)
    const units = readUnits(payment.amount)
    const rest = (margin.get(symbol) ?? 0n) + (body["is_add"] === true ? units : -units)
    if (rest < 0n) {
      return reject("insufficient_margin", "The position doesn't hold that much margin.")
    }
    const { funds } = turn.venue
    if (body["is_add"] === true) {
      const refused = debit(funds, payment)
      if (refused !== undefined) return { ok: false, error: refused }
    } else {
      credit(funds, payment)
    }
    margin.set(symbol, rest)
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
