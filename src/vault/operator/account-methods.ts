import { randomUUID } from "node:crypto"

import * as z from "zod"

import type { Refusal } from "../../contract/refusal.ts"
import { accountReading } from "../../link/calls/gate-methods.ts"
import type { BotParams, BotResults } from "../../link/calls/methods.ts"
import { err, ok, type Result } from "../../std/result.ts"
import { type Decimal, parseDecimal, zero } from "../../venue/decimal.ts"
import type { FieldError } from "../../venue/json.ts"
import type { AccountPoll, Profile } from "../../venue/profile.ts"
import type { Acts } from "../active/active-set.ts"
import type { Budgets } from "../budgets/budgets.ts"
import { type Client, pollName } from "../ledger/records/bindings.ts"
import { log } from "../process/log.ts"
import { spendingOfRead } from "../request/admit-read.ts"
import { parseBody } from "../request/parse-request.ts"
import { invalidRequest, refuse } from "../request/refuse.ts"
import { enlarges, type Reading, type Side } from "../guards/exposure.ts"
import { leastFreed } from "../guards/guard.ts"
import type { GuardedAccount, GuardedAccounts } from "../guards/accounts.ts"
import { followEquity } from "./follow-equity.ts"

/** What a reading may take besides the lag. */
const ticketMs = 30_000
/** From one reading of an account that a client makes to the next. */
const leastPauseMs = 1_000

type Readings = Pick<Acts, "active" | "act" | "now"> & {
  readonly accounts: GuardedAccounts
  readonly ledger: { readonly budgets: Pick<Budgets, "shortage" | "count"> }
}

/** The calls by which the gate reads accounts. */
export function accountMethods(vault: Readings) {
  return {
    accountPoll: () => Promise.resolve(beginReading(vault)),
    polledAccount: (params: BotParams["polledAccount"]) =>
      Promise.resolve(takeReading(params, vault)),
  }
}

/**
 * Begins a reading of the account that is due first, when it is due and the IP budget has room for it. Its time is the
 * ledger's own before it began, whatever the reader says later.
 */
function beginReading(vault: Readings): BotResults["accountPoll"] {
  const { accountPoll: poll } = vault.active().profile
  const [next, second] = [...vault.accounts.values()]
    .map((account) => ({ account, dueInMs: dueInMs(account, vault) }))
    .sort((one, other) => one.dueInMs - other.dueInMs)
  if (poll?.isFed !== false || next === undefined) return { dueInMs: null, round: null }
  if (next.dueInMs > 0) return { dueInMs: next.dueInMs, round: null }
  const waitMs = takeWeight(next.account, poll, vault)
  if (waitMs > 0) return { dueInMs: waitMs, round: null }
  const ticket = beginFor(undefined, next.account, vault.now())
  const { lagMs, map } = poll
  const othersDueInMs = Math.max(0, second?.dueInMs ?? Infinity)
  return {
    dueInMs: Math.min(poll.busyMs, othersDueInMs),
    round: { ticket, account: next.account.address, lagMs, map },
  }
}

/** Takes what a reading weighs of the IP budget; answers how long to wait where it has no room. */
function takeWeight({ poll }: GuardedAccount, { weight, busyMs }: AccountPoll, vault: Readings) {
  const { budgets } = vault.ledger
  const spending = spendingOfRead(weight, pollName, vault.active())
  const short = budgets.shortage(spending)
  if (short === undefined) budgets.count(spending)
  else if (!poll.waits) log({ level: "warn", event: "account_poll_waits" })
  poll.waits = short !== undefined
  return short === undefined ? 0 : Math.ceil(short.retryAfterMs ?? busyMs)
}

function dueInMs(account: GuardedAccount, vault: Readings): number {
  const { busyMs = 0, idleMs = 0 } = vault.active().profile.accountPoll ?? {}
  return account.poll.beganMs + (isBusy(account) ? busyMs : idleMs) - vault.now()
}

/** While something isn't covered yet, was refused for want of room, is contradicted, or nothing was ever read. */
function isBusy({ poll, exposure }: GuardedAccount): boolean {
  const isOpen = exposure.reading() === undefined || exposure.contradiction()?.isOpen === true
  return isOpen || exposure.inFlight() > 0 || poll.isWanted
}

/** The body of `POST /account/begin`. */
export const beginBody = z.strictObject({ account: z.string().max(64) })

/** `POST /account/begin`: begins a reading that a client makes. `body` is base64. */
export function beginFed(body: string, client: Client, vault: Readings) {
  const read = bodyAs(beginBody, body)
  if (!read.ok) return refuse(read.error, null)
  const { isFed, lagMs = 0 } = vault.active().profile.accountPoll ?? {}
  const account = [...vault.accounts.values()].find(({ name }) => name === read.value.account)
  if (account === undefined || isFed !== true)
    return refused("/account", "isn't an account of venue.yaml whose readings clients feed")
  const beganMs = vault.now()
  if (beganMs < account.poll.beganMs + leastPauseMs)
    return refused("/account", "had a reading begun less than a second ago")
  const ticket = beginFor(client.name, account, beganMs)
  const begun = { ticket, begun_at: beganMs, expires_in_ms: ticketMs + lagMs, lag_ms: lagMs }
  return { kind: "answer" as const, begun }
}

/** A new ticket for a client, or for the gate; the one before is good no more. */
function beginFor(by: string | undefined, { poll }: GuardedAccount, beganMs: number): string {
  const ticket = randomUUID()
  Object.assign(poll, { beganMs, ticket, by, isWanted: false })
  return ticket
}

/** The body of `POST /account`. */
export const accountBody = z.strictObject({ ticket: z.string().max(64), reading: accountReading })

/** `POST /account`: takes what a client has read. `body` is base64. */
export function takeFed(body: string, { name }: Client, vault: Readings): BotResults["account"] {
  const read = bodyAs(accountBody, body)
  return read.ok ? takeReading(read.value, vault, name) : refuse(read.error, null)
}

function bodyAs<Value>(schema: z.ZodType<Value>, body: string): Result<Value, Refusal> {
  const json = parseBody(Buffer.from(body, "base64"))
  if (!json.ok) return json
  const read = schema.safeParse(json.value)
  if (read.success) return ok(read.data)
  const [{ path, message } = { path: [], message: "" }] = read.error.issues
  const at = path.map((step) => `/${String(step)}`).join("")
  return err(invalidRequest([{ path: at, rule: "account", message }]))
}

function refused(path: string, message: string) {
  return refuse(invalidRequest([{ path, rule: "account", message }]), null)
}

/** Takes what a reading found, whole or not at all. A ticket is good once, for whom it was made, and until the next. */
function takeReading(
  { ticket, reading: given }: BotParams["polledAccount"],
  vault: Readings,
  by?: string,
): BotResults["polledAccount"] {
  const { profile } = vault.active()
  const account = [...vault.accounts.values()].find(
    ({ poll }) => poll.ticket === ticket && poll.by === by,
  )
  const { lagMs = 0 } = profile.accountPoll ?? {}
  if (account === undefined || vault.now() > account.poll.beganMs + ticketMs + lagMs)
    return refused("/ticket", "no reading has this ticket, it has ended, or a later one was begun")
  account.poll.ticket = undefined
  const reading = readingOf(given, account, profile)
  if (!reading.ok) return refuse(invalidRequest(reading.error), null)
  const { beganMs: askedAtMs } = account.poll
  const read: Reading = { askedAtMs, venueAtMs: given.venue_at, ...reading.value }
  const worst = account.exposure.worst([])
  const before = typeof worst === "string" ? undefined : worst
  const mayFree = leastFreed(vault.active().policies.flatMap(({ guards }) => guards))
  if (account.exposure.read(read, mayFree)) followEquity(account, read, { ...vault, worst: before })
  return { kind: "answer" }
}

type Given = BotParams["polledAccount"]["reading"]

/** A reading as it was given, or what of it can't be read. */
export function readingOf(
  { orders, positions, equity }: Given,
  { mode }: GuardedAccount,
  profile: Profile,
): Result<Pick<Reading, "orders" | "positions" | "equity">, readonly FieldError[]> {
  const errors: FieldError[] = []
  const unreadable = (list: string, index: number): readonly [] => {
    const message = "names an unknown symbol, no side, or a number that can't be read"
    errors.push({ path: `/${list}/${index}`, rule: "account_poll", message })
    return []
  }
  const reading = {
    orders: orders.flatMap((order, index) => {
      const { is_buy: isBuy, position_side: positionSide, reduce_only: reduceOnly } = order
      const symbolId = symbolIdOf(order.symbol, profile)
      const remaining = parseDecimal(order.remaining)
      const price = order.price === undefined ? undefined : parseDecimal(order.price)
      const side = enlarges(mode, { isBuy, positionSide, reduceOnly })
      const isWhole = (price === undefined) === (order.price === undefined)
      if (symbolId === undefined || remaining === undefined || side === undefined || !isWhole)
        return unreadable("orders", index)
      return [{ symbolId, isBuy, side, remaining, price }]
    }),
    positions: positions.flatMap((position, index) => {
      const symbolId = symbolIdOf(position.symbol, profile)
      const size = sizeOf(position, mode)
      if (symbolId === undefined || size === undefined) return unreadable("positions", index)
      return [{ symbolId, ...size }]
    }),
    equity: signedOf(equity ?? "")?.above,
  }
  if (!isWhole(equity, reading.equity, profile.accountPoll)) {
    const message = "is a number where venue.yaml says where equity is, and isn't there elsewhere"
    errors.push({ path: "/equity", rule: "account_poll", message })
  }
  return errors.length > 0 ? err(errors.slice(0, 10)) : ok(reading)
}

/** Whether equity is there where it has to be, and can be read where it is. */
function isWhole(given: string | undefined, read: Decimal | undefined, poll?: AccountPoll) {
  if (poll?.hasEquity !== true) return given === undefined
  return read !== undefined || (poll.isFed && given === undefined)
}

function symbolIdOf(text: string, { symbols }: Profile): number | undefined {
  const byId = /^\d{1,10}$/.test(text) ? symbols.byId.get(Number(text)) : undefined
  return (byId ?? symbols.byName.get(text))?.id
}

/** One-way it lies where its sign says, in hedge mode on the side that is named. */
function sizeOf(
  { quantity, position_side: side }: Given["positions"][number],
  mode: GuardedAccount["mode"],
): { readonly side: Side; readonly quantity: Decimal } | undefined {
  const signed = signedOf(quantity)
  if (signed === undefined) return undefined
  const { size, isBelow } = signed
  if (mode === "one_way") return { side: isBelow ? "short" : "long", quantity: size }
  return side === undefined || side === "both" ? undefined : { side, quantity: size }
}

/** A decimal that may be below zero: how far it is from that, and what of it is above. */
function signedOf(text: string) {
  const isBelow = text.startsWith("-")
  const size = parseDecimal(isBelow ? text.slice(1) : text)
  return size && { size, isBelow, above: isBelow ? zero : size }
}
