import type { BotLink } from "../contract/client.ts"
import {
  type AccountReading,
  type AccountRound,
  maxReadOrders,
  maxReadPositions,
  type ReadOrder,
} from "../link/calls/gate-methods.ts"
import type { BotResults } from "../link/calls/methods.ts"
import { err, ok, type Result } from "../std/result.ts"
import type { VenueAnswer } from "./http/reply.ts"
import { pause, pollOn } from "./poll-on.ts"
import type { PollDependencies } from "./poll-prices.ts"
import { causeFields, errorFields, type Log } from "./process/log.ts"
import type { ChangeLines, Trouble } from "./process/tell-changes.ts"
import { type AccountReads, parseAccountMap } from "./reads/account-map.ts"
import { equityIn, ordersIn, positionsIn } from "./reads/account-reading.ts"
import type { Sent } from "./upstream/exchange.ts"
import type { Upstream } from "./upstream/upstream.ts"

type AccountPollDependencies = PollDependencies & {
  /** What a reading may take besides the lag. */
  readonly readingMs?: number
}

/** The vault is asked at least this often: it may want a reading sooner than it said. */
const usualIdleMs = 1_000
/** Of these, where no account is read: another start of the vault may begin to. */
const idleTurns = 10
const usualReadingMs = 20_000

/**
 * Reads accounts at the venue and hands each reading to the vault, as long as the gate runs. The vault says when, whose
 * and how; there is one reading at a time. What can't be read whole isn't handed over. Never throws.
 */
export function pollAccounts({
  idleMs = usualIdleMs,
  readingMs = usualReadingMs,
  ...deps
}: AccountPollDependencies) {
  return pollOn(linesOf(deps.log), async () => {
    const { dueInMs, round } = await nextRound(deps)
    return {
      pauseMs: dueInMs === null ? idleTurns * idleMs : Math.min(dueInMs, idleMs),
      read: async (tell, stopping) => {
        if (round === null) return
        const inTime = AbortSignal.any([stopping, AbortSignal.timeout(readingMs + round.lagMs)])
        tell(round.account, await readRound(deps, round, inTime))
      },
    }
  })
}

function linesOf(log: Log): ChangeLines {
  return {
    works: (message) => log({ level: "info", event: "account_poll_works", message }),
    fails: (trouble) => log({ level: "warn", event: "account_poll_failed", ...trouble }),
  }
}

/** None while no venue is configured; while the vault is away it is asked again soon. */
async function nextRound({ link, upstream }: PollDependencies): Promise<BotResults["accountPoll"]> {
  const soon = { dueInMs: usualIdleMs, round: null }
  return upstream() === undefined ? soon : link.call("accountPoll", {}).catch(() => soon)
}

/** Reads an account and hands over what it found; or tells what went wrong. */
async function readRound(
  { link, upstream }: PollDependencies,
  round: AccountRound,
  signal: AbortSignal,
): Promise<Trouble | undefined> {
  const venue = upstream() // one and the same for all of a reading, also when a reload changes it
  if (venue === undefined) return { code: "no_venue", message: round.account }
  const reads = parseAccountMap(round.map)
  if (!reads.ok) return { code: "account_invalid", message: `${round.account}: ${reads.error}` }
  const reading = await readAccount({ venue, round, reads: reads.value, signal })
  return reading.ok ? handOver(link, round, reading.value) : reading.error
}

/** What reads one answer of the venue within a reading. */
type Reader = {
  readonly venue: Pick<Upstream, "fetch">
  readonly round: AccountRound
  readonly reads: AccountReads
  /** Ends the reading. */
  readonly signal: AbortSignal
}

/**
 * Reads all orders, and then, when the venue has had the time to show what became of those that aren't there, the
 * positions. What fills in between is then in the positions: it may count twice, and is never missed. What the account
 * is worth comes last, where venue.yaml says where that is.
 */
async function readAccount(reader: Reader): Promise<Result<AccountReading, Trouble>> {
  const { round, reads, signal } = reader
  const orders = await readOrders(reader)
  if (!orders.ok) return orders
  await pauseWhole(round.lagMs, signal)
  const { positions, equity } = reads
  const found = await read(reader, positions.path, (answer) => positionsIn(answer, positions))
  if (!found.ok) return found
  if (found.value.found.length > maxReadPositions)
    return err({ code: "too_many_positions", message: round.account })
  const reading = { ...orders.value, positions: found.value.found }
  if (equity === undefined) return ok(reading)
  const worth = await read(reader, equity.path, (answer) => equityIn(answer, equity))
  return worth.ok ? ok({ ...reading, equity: worth.value.found }) : worth
}

/** Reads the lists of orders one after the other, each to its end. */
async function readOrders(
  reader: Reader,
): Promise<Result<Pick<AccountReading, "orders" | "venue_at">, Trouble>> {
  const { round, reads } = reader
  const orders: ReadOrder[] = []
  const times: (number | undefined)[] = []
  for (const list of reads.orders) {
    const answered = await read(reader, list.path, (answer) => ordersIn(answer, list))
    if (!answered.ok) return answered
    orders.push(...answered.value.found)
    times.push(answered.value.atMs)
  }
  if (orders.length > maxReadOrders) return err({ code: "too_many_orders", message: round.account })
  const known = times.filter((atMs) => atMs !== undefined)
  return ok({ orders, ...(known.length === times.length && { venue_at: Math.min(...known) }) })
}

type Answered<Found> = { readonly found: Found; readonly atMs: number | undefined }

/** Makes one read, and tells, where the answer has a `Date`, by the venue's clock when it was asked for. */
async function read<Found>(
  { venue, round, signal }: Reader,
  path: string,
  parse: (answer: VenueAnswer) => Result<Found, string>,
): Promise<Result<Answered<Found>, Trouble>> {
  const message = path.replaceAll("$account", round.account)
  const [plain = "", query = ""] = message.split("?")
  const askedMs = performance.now()
  const sent = await venue.fetch({ path: plain, query, traceparent: undefined, signal })
  const tookMs = Math.ceil(performance.now() - askedMs)
  const found = signal.aborted ? err("deadline") : foundIn(sent, tookMs, parse)
  return found.ok ? found : err({ code: found.error, message })
}

function foundIn<Found>(
  sent: Sent,
  tookMs: number,
  parse: (answer: VenueAnswer) => Result<Found, string>,
): Result<Answered<Found>, string> {
  if (sent.kind !== "answered") return err(causeFields(sent.cause).code)
  // What a cache kept is older than the reading, by nobody knows how much.
  if (sent.made?.isKept === true) return err("kept_by_cache")
  const found = parse(sent.answer)
  if (!found.ok) return found
  const { atMs } = sent.made ?? {}
  return ok({ found: found.value, atMs: atMs === undefined ? undefined : atMs - tookMs })
}

/** No less than that long, unless `signal` ends it: a timer counts from the beginning of its turn, a while ago perhaps. */
async function pauseWhole(ms: number, signal: AbortSignal): Promise<void> {
  const untilMs = performance.now() + ms
  for (let leftMs = ms; leftMs > 0 && !signal.aborted; leftMs = untilMs - performance.now()) {
    await pause(Math.ceil(leftMs), signal)
  }
}

async function handOver(
  link: Pick<BotLink, "call">,
  { ticket, account: message }: AccountRound,
  reading: AccountReading,
): Promise<Trouble | undefined> {
  try {
    const taken = await link.call("polledAccount", { ticket, reading })
    if (taken.kind !== "refused") return undefined
    const { code, message: why } = taken.refusal
    return { code, message: `${message}: ${why}` }
  } catch (error) {
    return { code: errorFields(error).code, message }
  }
}
