import { symbolText } from "../../vault/policy/match/judged-request.ts"
import type { Guard, LossBound, PositionMax } from "../../vault/policy/guard-terms.ts"
import { formatDecimal, multiplyDecimals, wholeDecimal, type Decimal } from "../../venue/decimal.ts"
import type { SymbolTable } from "../../venue/profile.ts"
import { durationText } from "./duration-text.ts"

/** What a guard bounds, in plain words. */
export function guardWords(
  { maxPosition, maxOpenOrders, maxOpenNotional, loss }: Guard,
  symbols: SymbolTable,
): readonly string[] {
  return [
    ...(maxPosition === undefined ? [] : [positionsWords(maxPosition, symbols)]),
    ...(maxOpenOrders === undefined ? [] : [`at most ${maxOpenOrders} open orders`]),
    ...(maxOpenNotional === undefined
      ? []
      : [`open orders of at most ${formatDecimal(maxOpenNotional)} quote units`]),
    ...(loss === undefined ? [] : [lossWords(loss), thenWords[loss.then]]),
  ]
}

function positionsWords(
  { bySymbol, default: others }: NonNullable<Guard["maxPosition"]>,
  symbols: SymbolTable,
): string {
  const all = [
    ...[...bySymbol].map(([id, max]) => `${positionWords(max)} of ${symbolText(id, symbols)}`),
    ...(others === undefined ? [] : [`${positionWords(others)} of others`]),
  ]
  return `a position of at most ${all.join(", ")}`
}

const sides = { net: "on either side", gross: "on both sides", notional: "quote units" } as const

function positionWords({ kind, max }: PositionMax): string {
  return `${formatDecimal(max)} ${sides[kind]}`
}

function lossWords({ kind, window, max }: LossBound): string {
  const most =
    max.kind === "share" ? percentText(max.value) : `${formatDecimal(max.value)} quote units`
  const since = {
    daily_loss: window.kind === "day" ? `in a day in ${window.zone}` : "",
    loss: window.kind === "rolling" ? `within ${durationText(window.lengthMs)}` : "",
    drawdown: "from the highest ever",
  }
  return `a loss of at most ${most} ${since[kind]}`
}

const thenWords = {
  refuse: "over that nothing opens",
  reduce_only: "over that nothing opens until a person re-arms it",
  freeze: "over that nothing opens until a person re-arms it, and the keys are frozen",
} as const

/** `1%` of 0.01. */
export function percentText(fraction: Decimal): string {
  return `${formatDecimal(multiplyDecimals(fraction, wholeDecimal(100n)))}%`
}
