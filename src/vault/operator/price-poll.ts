import type { BotParams, BotResults } from "../../link/calls/methods.ts"
import type { Acts, SetInForce } from "../active/active-set.ts"
import type { Budgets } from "../budgets/budgets.ts"
import { pollName } from "../ledger/records/bindings.ts"
import type { LedgerTime } from "../process/clock.ts"
import { log } from "../process/log.ts"
import { spendingOfRead } from "../request/admit-read.ts"
import { invalidRequest, refuse } from "../request/refuse.ts"
import { feedPrice, readPrices } from "./price-methods.ts"

/** When the last round of the poll began: what it reads is no older than that. And whether the next one waits for room. */
export type PollPace = { beganMs: LedgerTime | undefined; waits?: boolean }

type Polling = { readonly pollPace: PollPace }

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
