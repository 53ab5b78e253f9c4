import * as z from "zod"

import type { PriceView } from "../../contract/bot-views.ts"
import type { Refusal } from "../../contract/refusal.ts"
import { pricesList } from "../../link/calls/gate-methods.ts"
import type { AdminParams, BotResults, BotParams } from "../../link/calls/methods.ts"
import { Fault } from "../../std/fault.ts"
import { err, ok, type Result } from "../../std/result.ts"
import { compareDecimals, formatDecimal, parseDecimal, type Decimal } from "../../venue/decimal.ts"
import type { FieldError } from "../../venue/json.ts"
import type { SymbolEntry } from "../../venue/profile.ts"
import type { ActiveSet, Acts, SetInForce } from "../active/active-set.ts"
import { anchored, fed, lastPrice } from "../active/price-drift.ts"
import type { Budgets } from "../budgets/budgets.ts"
import { type Client, operatorName, pollName } from "../ledger/records/bindings.ts"
import { priceFields, type Price } from "../ledger/records/prices.ts"
import type { LedgerTime } from "../process/clock.ts"
import { log } from "../process/log.ts"
import { spendingOfRead } from "../request/admit-read.ts"
import { parseBody } from "../request/parse-request.ts"
import { refuse, invalidRequest } from "../request/refuse.ts"
import { priceView } from "../status/fed-prices.ts"

/** `POST /prices`: takes prices from a client that has the right to feed them; all of them or none. `body` is base64. */
export async function feedPrices(
  body: string,
  { name: by }: Client,
  acts: Acts,
): Promise<BotResults["prices"]> {
  const nowMs = acts.now()
  const read = parsePrices(Buffer.from(body, "base64"), acts.active())
  if (!read.ok) return refuse(read.error, null)

  await Promise.all(read.value.map((price) => feedPrice(price, by, acts)))
  const prices = read.value.map(({ symbol }) => priceView(symbol, acts.active(), nowMs))
  return { kind: "answer", prices }
}

/** `countersign prices set`: an operator's word, from which the next prices are measured. */
export async function setPrice(
  { symbol: name, value: text }: AdminParams["setPrice"],
  acts: Acts,
): Promise<PriceView> {
  const symbol = symbolNamed(name, acts.active())
  const value = positiveDecimal(text)
  if (value === undefined) {
    throw new Fault("usage", "A price is a decimal above zero, like 64000.5.")
  }
  await setByOperator({ symbol, value }, acts)
  return priceView(symbol, acts.active(), acts.now())
}

/**
 * `countersign prices confirm`: an operator's word that prices are right as they were shown: those that wait or are held
 * back, else those in force. Each is the new anchor; all of them or none.
 *
 * @throws {Fault} `name_unknown`, `usage` when a symbol has another price by now, or none.
 */
export async function confirmPrices(
  { prices: shown }: AdminParams["confirmPrices"],
  acts: Acts,
): Promise<readonly PriceView[]> {
  const set = acts.active()
  const pending = shown.map(({ symbol, value }) => {
    const price = pendingPrice(symbolNamed(symbol, set), set)
    assertAsShown(price, value)
    return price
  })
  await Promise.all(pending.map((price) => setByOperator(price, acts)))
  return pending.map(({ symbol }) => priceView(symbol, acts.active(), acts.now()))
}

type NewPrice = { readonly symbol: SymbolEntry; readonly value: Decimal }

function assertAsShown({ symbol, value }: NewPrice, text: string): void {
  const shown = parseDecimal(text)
  if (shown !== undefined && compareDecimals(shown, value) === 0) return
  throw new Fault(
    "usage",
    `The price of ${symbol.name} is ${formatDecimal(value)} now, not the one to be confirmed; nothing was. Look at countersign prices show again.`,
  )
}

function isPending(price: Price | undefined): boolean {
  return price !== undefined && (!price.confirmed || price.drift?.held !== undefined)
}

function pendingPrice(symbol: SymbolEntry, set: ActiveSet): NewPrice {
  const last = lastPrice(symbol.id, set)
  if (last === undefined) {
    throw new Fault("usage", `${symbol.name} has no price; countersign prices set gives it one.`)
  }
  return { symbol, value: last.drift?.held?.value ?? last.value }
}

function symbolNamed(name: string, { profile }: ActiveSet): SymbolEntry {
  const symbol = profile.symbols.byName.get(name)
  if (symbol !== undefined) return symbol
  throw new Fault("name_unknown", `venue.yaml's symbols have no ${name}; add it there first.`)
}

function setByOperator({ symbol, value }: NewPrice, acts: Acts): Promise<unknown> {
  const price = { symbolId: symbol.id, value, by: operatorName, now: acts.now() }
  const next = anchored(price, acts.active().config.prices)
  return acts.act({ act: "price_set", ...priceFields(next) })
}

/** Records what a client's price makes of the symbol's; what says nothing new is taken without a row. */
export async function feedPrice(
  { symbol, value }: NewPrice,
  by: string,
  acts: Acts,
): Promise<void> {
  const set = acts.active()
  const earlier = set.prices.get(symbol.id)
  const next = fed({ symbolId: symbol.id, value, by, now: acts.now() }, set)
  const act = { act: "price_set", ...priceFields(next) } as const
  if (isSame(earlier, next)) acts.hear(act)
  else await acts.say(act, by)
}

/** The same price of the same feed, taken again: only its age is new. */
function isSame(earlier: Price | undefined, next: Price): boolean {
  if (earlier?.by !== next.by || isPending(earlier) || isPending(next)) return false
  return compareDecimals(earlier.value, next.value) === 0
}

/** The body of `POST /prices`. */
export const pricesBody = z.strictObject({ prices: pricesList })

function parsePrices(bytes: Uint8Array, set: ActiveSet): Result<readonly NewPrice[], Refusal> {
  const json = parseBody(bytes)
  if (!json.ok) return json
  const body = pricesBody.safeParse(json.value)
  if (!body.success) {
    const message = `the body must be {"prices": [{"symbol", "value"}]}, 1 to 100 of them`
    return err(invalidRequest([{ path: "", rule: "prices", message }]))
  }
  const { prices, errors } = readPrices(body.data.prices, set)
  return errors.length > 0 ? err(invalidRequest(errors)) : ok(prices)
}

/** The prices that can be taken, and what is wrong with the others. */
function readPrices(given: z.infer<typeof pricesList>, { profile }: ActiveSet) {
  const errors: FieldError[] = []
  const names = given.map(({ symbol }) => symbol)
  const prices = given.flatMap(({ symbol: name, value: text }, index): NewPrice[] => {
    const symbol = profile.symbols.byName.get(name)
    const value = positiveDecimal(text)
    const isAgain = names.indexOf(name) < index
    if (symbol !== undefined && value !== undefined && !isAgain) return [{ symbol, value }]
    errors.push(priceError(index, symbol === undefined || isAgain ? "symbol" : "value"))
    return []
  })
  return { prices, errors }
}

function priceError(index: number, field: "symbol" | "value"): FieldError {
  const message =
    field === "symbol"
      ? "symbol must be a name of venue.yaml's symbols, each once"
      : "value must be a decimal string above zero"
  return { path: `/prices/${index}/${field}`, rule: `price_${field}`, message }
}

function positiveDecimal(text: string): Decimal | undefined {
  const value = parseDecimal(text)
  return value === undefined || value.coefficient === 0n ? undefined : value
}

export type Polling = {
  /** When the last round of the poll began: what it reads is no older than that. And whether the next one waits for room. */
  readonly pollPace: { beganMs: LedgerTime | undefined; waits?: boolean }
}

/**
 * Begins a round of venue.yaml's price poll when it is due and the IP budget has room for it. It sets the gate's pace and
 * tells it all that it reads.
 */
export function beginRound(
  vault: SetInForce &
    Polling & { readonly ledger: { readonly budgets: Pick<Budgets, "shortage" | "count"> } },
): BotResults["pricePoll"] {
  const [set, nowMs] = [vault.active(), vault.now()]
  const { pricePoll, symbols } = set.profile
  if (pricePoll === undefined) return { dueInMs: null, round: null }
  const { everyMs, weight, ...poll } = pricePoll
  const dueInMs = (vault.pollPace.beganMs ?? -Infinity) + everyMs - nowMs
  if (dueInMs > 0) return { dueInMs, round: null }
  const { budgets } = vault.ledger
  const spending = spendingOfRead(weight, pollName, set)
  const short = budgets.shortage(spending)
  if (short !== undefined) {
    if (vault.pollPace.waits !== true) log({ level: "warn", event: "price_poll_waits" })
    vault.pollPace.waits = true
    return { dueInMs: Math.ceil(short.retryAfterMs ?? everyMs), round: null }
  }
  budgets.count(spending)
  vault.pollPace.waits = false
  vault.pollPace.beganMs = nowMs
  const polled = [...symbols.byId.values()].map(({ id, name }) => ({ id, name }))
  return { dueInMs: everyMs, round: { ...poll, id: nowMs, symbols: polled } }
}

/**
 * Takes what the round under way read at one of its paths, under the bounds of every feed and as old as the round. Each
 * price stands for itself: one that the venue left out or garbled keeps no other back.
 */
export async function feedPolled(
  { round, path, prices: given }: BotParams["polledPrices"],
  vault: Acts & Polling,
): Promise<BotResults["polledPrices"]> {
  const set = vault.active()
  const { beganMs } = vault.pollPace
  const isUnderWay = round === beganMs && set.profile.pricePoll?.paths.includes(path) === true
  if (!isUnderWay) return refuse(notPolled, null)
  const { prices, errors } = readPrices(given, set)
  // A person or a client may have given a later one meanwhile.
  const newer = prices.filter(({ symbol: { id } }) => (set.prices.get(id)?.asOfMs ?? 0) <= beganMs)
  const then = { ...vault, now: () => beganMs }
  await Promise.all(newer.map((price) => feedPrice(price, pollName, then)))
  return errors.length > 0 ? refuse(invalidRequest(errors), null) : { kind: "answer" }
}

const message = "this isn't polled, or the next round has begun"
const notPolled = invalidRequest([{ path: "/path", rule: "price_poll", message }])
