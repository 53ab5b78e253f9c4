import type { Refusal } from "../../contract/refusal.ts"
import { type Decimal, formatDecimal } from "../../venue/decimal.ts"
import type { SymbolTable } from "../../venue/profile.ts"
import { symbolText } from "../policy/match/judged-request.ts"
import type { PlacedGuard } from "../policy/guard-terms.ts"
import type { GuardState } from "../ledger/records/guard-rows.ts"
import type { Excess, SideOf, Unjudged } from "../guards/guard.ts"
import type { GuardedAccount } from "../guards/accounts.ts"
import type { Uncountable } from "./openers.ts"

type Why = Uncountable | Unjudged["kind"] | "account_unknown"

const advice: Readonly<Record<Why, string>> = {
  account_unknown:
    "no account of venue.yaml is meant by it: account: there must name the wallet's, and an agent key must have been made with --wallet",
  no_reading:
    "the account hasn't been read since the daemon started; the gate reads it by itself, so ask again in some seconds",
  in_flight: "too many orders wait for a reading to cover them; ask again in some seconds",
  order_unreadable: "how much it can add to a position can't be told; send an order in base units",
  shown_nowhere:
    "no list of open orders shows it while it waits, so it couldn't be counted; send it without trigger and legs",
  not_a_perpetual: "guards count positions in perpetuals alone",
  side_missing: "in hedge mode an order needs its position_side, long or short",
  position_mode:
    "it would change what the guard counts by; change it at the venue, then in venue.yaml, and restart",
  no_equity:
    "what the account is worth was never read; account.equity in venue.yaml says where it is",
  reading_old:
    "the account was read too long ago to tell what it has lost; see account_poll_failed in the log",
  equity_changed:
    "what venue.yaml reads of the account was changed, or a ledger was restored, so losses can't be counted on; a person compares them with the venue's own page: countersign guards anchor",
  unknown_price:
    "its worst price, or that of an order that is open, isn't known: no reference price is fresh, or a market order was sent without slippage",
}

/** Why a guard can't tell what a request may come to, and so refuses it. */
export function guardUnreadable(
  why: Why,
  { policy, name: guard, file, line }: PlacedGuard,
  account: string | undefined,
): Refusal {
  return {
    code: "guard_unreadable",
    message: `The guard ${policy}/${guard} (${file}:${line}) can't judge this: ${advice[why]}. Cancels and reduce-only orders pass.`,
    data: { policy, guard, why, account: account ?? null },
  }
}

type By = {
  readonly guard: PlacedGuard
  readonly account: GuardedAccount
  readonly symbols: SymbolTable
}

/** Why a guard has no room for a request. */
export function guardExceeded(found: Excess | Unjudged, { guard, account, symbols }: By): Refusal {
  if (!("max" in found)) return guardUnreadable(found.kind, guard, account.address)
  const { policy, name, file, line } = guard
  const { kind, measure = null, symbolId } = found
  const symbol = symbolId === undefined ? null : symbolText(symbolId, symbols)
  const figures = {
    max: formatDecimal(found.max),
    measured: formatDecimal(found.measured),
    in_flight: formatDecimal(found.inFlight),
    asked: formatDecimal(found.asked),
    worst: formatDecimal(found.worst),
    room: formatDecimal(found.room),
  }
  const what = [kind, measure, symbol].filter((word) => word !== null).join(" ")
  return {
    code: "guard_exceeded",
    message: `The guard ${policy}/${name} (${file}:${line}) has no room: ${what} of ${account.name} would come to ${figures.worst}, and ${figures.max} is allowed (${figures.measured} by the last reading, ${figures.in_flight} in flight, ${figures.asked} asked).${freedWords(found)} Cancels and reduce-only orders pass.`,
    data: {
      ...{ policy, guard: name, account: account.address, kind, measure, symbol, ...figures },
      ...{ from: orNull(found.from), equity: orNull(found.equity), freed: orNull(found.freed) },
      read_at: askedAtMs(account),
    },
  }
}

function freedWords({ freed }: Excess): string {
  if (freed === undefined) return ""
  return ` Readings have freed ${formatDecimal(freed)} since the day began (UTC), more than max_freed believes them, so the rest counts as measured until the next.`
}

/** When the last reading of an account began; 0 where there was none. */
export function askedAtMs({ exposure }: Pick<GuardedAccount, "exposure">): number {
  return exposure.reading()?.askedAtMs ?? 0
}

function orNull(figure: Decimal | undefined): string | null {
  return figure === undefined ? null : formatDecimal(figure)
}

/** That a guard has tripped, so that nothing opens. */
export function guardTripped(
  { bounds: kind, since, until }: GuardState,
  { policy, name, file, line }: PlacedGuard,
  account: Pick<GuardedAccount, "name" | "address">,
): Refusal {
  const ends = until === null ? "a person ends it" : "it ends with the day, or a person ends it"
  return {
    code: "guard_tripped",
    message: `The guard ${policy}/${name} (${file}:${line}) has tripped: ${account.name} has lost what ${kind} allows. Nothing opens a position there now; ${ends}: countersign guards rearm. Cancels and reduce-only orders pass.`,
    data: { policy, guard: name, account: account.address, kind, since, until },
  }
}

/** Why orders that only reduce aren't signed: they couldn't, by a reading of that age. */
export function nothingToReduce(
  { symbolId, side }: SideOf,
  { guard, account, symbols, ageMs }: By & { readonly ageMs: number },
): Refusal {
  const { policy, name, file, line } = guard
  const symbol = symbolText(symbolId, symbols)
  const read_at = askedAtMs(account)
  return {
    code: "nothing_to_reduce",
    message: `Reduce-only, but ${account.name} holds at most 0 ${side} in ${symbol}, by a reading of ${Math.floor(ageMs / 1_000)} s ago and all that is in flight (the guard ${policy}/${name}, ${file}:${line}). Open a position first.`,
    data: { policy, guard: name, account: account.address, symbol, side, reach: "0", read_at },
  }
}
