import type { Refusal, Stop } from "../../contract/refusal.ts"
import { Fault } from "../../std/fault.ts"
import type { Address } from "../../venue/address.ts"
import { addDecimals, type Decimal, formatDecimal, zero } from "../../venue/decimal.ts"
import { type ActiveSet, heldPrice, referencePrice } from "../active/active-set.ts"
import type { GuardedAccounts } from "../guards/accounts.ts"
import type { KeyLocks } from "../keyring/keyring.ts"
import type { Ledger, LedgerTurn } from "../ledger/ledger.ts"
import type { Client, KeyEntry } from "../ledger/records/bindings.ts"
import { freezeOf, frozen } from "../ledger/records/freeze.ts"
import type { HoldBinding } from "../ledger/records/hold.ts"
import { readDecimal } from "../ledger/records/prices.ts"
import type { ReserveAsk } from "../ledger/records/reservation.ts"
import { restoredSentence } from "../ledger/signers/signer-marks.ts"
import { judge } from "../policy/judge.ts"
import { type Circumstances, type JudgedRequest } from "../policy/match/judged-request.ts"
import { worstOf } from "../policy/order-size.ts"
import type { Allowed, OrderSize, Verdicts } from "../policy/terms.ts"
import type { LedgerTime } from "../process/clock.ts"
import { diskLow } from "../watch/disk-space.ts"
import { venueClockOff } from "../watch/venue-clock.ts"
import type { ExplainContext } from "./asking.ts"
import { type CheckedCall, checkLacking } from "./earlier-check.ts"
import { grantAskOf, type HeldRequest } from "./grant-ask.ts"
import { keyOf, type ParsedRequest } from "./parse-request.ts"
import { keyLocked, policyDenied } from "./refuse.ts"

/** The files, the moment and the call that a request is judged by. */
export type JudgedBy = {
  readonly set: ActiveSet
  readonly nowMs: LedgerTime
  readonly call: CheckedCall
}

/** Judges a read request by policy, after the invariants that need the clock. Its "no" is the refusal that goes out. */
export function judgeRequest(
  request: ParsedRequest,
  client: Client,
  by: JudgedBy,
): Allowed | { readonly kind: "refuse"; readonly refusal: Refusal; readonly verdicts: Verdicts } {
  const { set, nowMs } = by
  const stop = refuseFrozen(request, client, set) ?? refuseExpiringAgent(request, set, nowMs)
  if (stop !== undefined) return { kind: "refuse", refusal: stop, verdicts: () => [] }
  const decision = judge(
    judgedFor(request, client, by.call),
    set.policies,
    circumstancesOf(request.key, set, nowMs),
  )
  if (decision.kind !== "refuse") return decision
  const { denial, verdicts } = decision
  const { withinMs } = denial
  const refusal =
    withinMs === undefined
      ? policyDenied(denial)
      : checkLacking(denial, by.call.checkAgeMs ?? Infinity, withinMs)
  return { kind: "refuse", refusal, verdicts }
}

/** Whether guards may have a say in what a set signs. */
export function isGuarded(
  accounts: GuardedAccounts | undefined,
  { policies }: ActiveSet,
): accounts is GuardedAccounts {
  if (accounts === undefined) return false
  return accounts.size > 0 || policies.some(({ guards }) => guards.length > 0)
}

/** A request as policy is told of it. */
export function judgedFor(
  request: ParsedRequest,
  client: Client,
  call: JudgedBy["call"],
): JudgedRequest {
  const { endpoint, key, parties, business: body, payload, lane, ttlMs: expiresInMs } = request
  return {
    ...{ client: client.name, key, operation: endpoint.id, target: parties.target },
    ...{ body, payload, lane, expiresInMs },
    isKeyed: call.checkAgeMs !== undefined || keyOf(call, client, request) !== undefined,
    checkAgeMs: call.checkAgeMs ?? Infinity,
  }
}

/** What policy is told of everything else. */
export function circumstancesOf(key: KeyEntry, set: ActiveSet, nowMs: LedgerTime): Circumstances {
  return {
    profile: set.profile,
    nowMs,
    heldAgents: () => heldAgents(key, set),
    referencePrice: (symbolId) => referencePrice(symbolId, set, nowMs),
    heldPrice: (symbolId) => heldPrice(symbolId, set),
    raises: set.raises
      .filter(({ until }) => nowMs < until)
      .map(({ limit, to }) => ({ limit, max: readDecimal(to) })),
  }
}

function refuseFrozen(
  { key, lane }: ParsedRequest,
  client: Client,
  { freezes }: ActiveSet,
): Refusal | undefined {
  if (freezes.length === 0) return undefined
  const freeze = freezeOf({ client: client.name, key: key.name, lane }, freezes)
  return freeze === undefined ? undefined : frozen(freeze)
}

function refuseExpiringAgent(
  request: ParsedRequest,
  set: ActiveSet,
  nowMs: LedgerTime,
): Refusal | undefined {
  const { key, lane } = request
  return lane === "open" && isEnding(key, set, nowMs) ? agentExpiring(key) : undefined
}

/** Whether an agent's approval ends so soon that it adds no risk any more, or has ended. */
export function isEnding(key: KeyEntry, set: ActiveSet, nowMs: LedgerTime): boolean {
  if (key.role !== "agent" || key.expires_at === null) return false
  return nowMs >= key.expires_at - set.config.stopBeforeMs
}

/** Of an agent that {@link isEnding}. */
export function agentExpiring({ name, expires_at }: KeyEntry): Refusal {
  return {
    code: "agent_expiring",
    message: `The approval of the agent key ${name} ends soon or has ended; until it is renewed, the key signs only cancels and reduce-only orders.`,
    data: { key: name, expires_at: expires_at ?? 0 },
  }
}

function heldAgents(signer: KeyEntry, set: ActiveSet): ReadonlySet<Address> {
  const agents = [...set.usableKeys.values()].filter(
    (key) => key.role === "agent" && key.wallet === signer.name,
  )
  return new Set(agents.map((key) => key.address))
}

/** What keeps the vault from signing it at this moment, whatever policy says: what stops the vault as a whole, or a key out of memory. */
export function refuseNow(
  { key, lane }: ParsedRequest,
  set: ActiveSet,
  vault: Stoppable & { readonly keyring: KeyLocks },
): Refusal | undefined {
  const isSigned = ({ data: { signs } }: Stop): boolean =>
    (lane === "cancel" && signs !== "nothing") || (lane === "reduce" && signs === "reduce_only")
  const stop = stopsNow(vault, set).find((each) => !isSigned(each))
  if (stop !== undefined) return stop
  return vault.keyring.isLocked(key.name) ? keyLocked(key.name) : undefined
}

type Stoppable = Pick<ExplainContext, "disk" | "venueClock"> & {
  readonly ledger: Pick<ExplainContext["ledger"], "marks" | "clock" | "isolated">
}

/** What the vault as a whole doesn't sign now, whoever asks and whatever policy says; the gravest first. */
export function stopsNow(vault: Stoppable, { config }: ActiveSet): readonly Stop[] {
  const { disk, ledger } = vault
  const doubt = ledger.clock.doubt()
  const { maxVenueOffsetMs: most } = config
  const stops = [
    ledger.marks.waiting().length === 0 ? undefined : restoreUnaccepted,
    ledger.isolated?.stop,
    doubt === undefined ? undefined : clockUnsafe(doubt),
    disk.low === undefined ? undefined : diskLow(disk.low),
    most === undefined ? undefined : venueClockOff(vault.venueClock, most),
  ]
  return stops.filter((stop) => stop !== undefined)
}

/** Neither signed nor given out again where others may have frozen it by now. */
export function refuseIsolated(
  { lane }: ParsedRequest,
  { ledger }: Pick<Stoppable, "ledger">,
): Refusal | undefined {
  return lane === "cancel" ? undefined : ledger.isolated?.stop
}

const restoreUnaccepted: Stop = {
  code: "restore_unaccepted",
  message: restoredSentence,
  data: { signs: "nothing", fix: "countersign ledger accept-restore" },
}

function clockUnsafe(message: string): Stop {
  const fix = "set the clock right, or if it is: countersign clock accept"
  const venue = { venue_ahead_ms: null, max_venue_offset_ms: null }
  return { code: "clock_unsafe", message, data: { signs: "reduce_only", fix, ...venue } }
}

/** The stop that the ledger threw. It may have ended since, and another may hold. */
export function stopThrown(error: unknown): Stop | undefined {
  if (!(error instanceof Fault)) return undefined
  if (error.code === "restore_unaccepted") return restoreUnaccepted
  return error.code === "clock_unsafe" ? clockUnsafe(error.message) : undefined
}

type Held = Extract<Allowed, { readonly kind: "hold" }>

/** Whether a request may go on: no hold stops it, or a person released it or granted such, and that isn't used up. */
export type Release =
  | { readonly kind: "free"; readonly use: ReserveAsk["release"] }
  | { readonly kind: "missing"; readonly held: Held }

/** What a release is given for: this very request of this client. */
export function bindingOf(request: ParsedRequest, { name }: Pick<Client, "name">): HoldBinding {
  return {
    client: name,
    key: request.key.name,
    operation: request.endpoint.id,
    target: request.parties.target ?? null,
    body: request.canonical,
  }
}

type ReleasedBy = Pick<HeldRequest, "request" | "set"> &
  Pick<JudgedBy, "nowMs"> & { readonly ledger: Pick<Ledger, "findRelease" | "findGrant"> }

/** Looks for the release or the grant that a held request needs. Within the turn of judging: it doesn't wait. */
export function releaseFor(
  decision: Allowed,
  binding: HoldBinding,
  { ledger, nowMs, ...judged }: ReleasedBy,
): Release {
  if (decision.kind === "allow") return { kind: "free", use: undefined }
  const hold = ledger.findRelease(binding, nowMs)
  if (hold !== undefined) return { kind: "free", use: { hold } }
  const asked = grantAskOf(binding, { ...judged, hold: decision.hold })
  const granted = asked.ok ? ledger.findGrant(asked.value, nowMs) : undefined
  if (!asked.ok || granted === undefined) return { kind: "missing", held: decision }
  return { kind: "free", use: { hold: granted, grant: asked.value } }
}

/** Puts a request before a person, and says to the bot that it waits. Asking again opens nothing new. */
export function holdRequest(
  { hold, sizes }: Held,
  binding: HoldBinding,
  { turn, orders }: { readonly turn: LedgerTurn; readonly orders: readonly NamedOrder[] },
): Refusal {
  const { client, key, operation, target, body } = binding
  const opened = turn.openHold({
    ...{ client, key, operation, target, body },
    policy: hold.policy,
    rule: hold.name,
    worst: worstCaseText(sizes, orders),
    expires_at: turn.nowMs + hold.ttlMs,
  })
  if (!opened.ok) return opened.error
  const { hold: id, expires_at } = opened.value
  const where = `${hold.policy}/${hold.name}, ${hold.file}:${hold.line}`
  return {
    code: "approval_required",
    message: `A person must release this request (${where}): countersign held release ${id}. Then send it again.`,
    data: { hold: id, expires_at },
  }
}

/** How the worst case names an order: `buy DOGE-USD`, and what it is priced in where venue.yaml lists its symbol. */
type NamedOrder = { readonly side: string; readonly quote: string | undefined }

/** The orders of a request, in the order of their sizes. */
export function namedOrders(
  { payload }: Pick<ParsedRequest, "payload">,
  { profile }: Pick<ActiveSet, "profile">,
): readonly NamedOrder[] {
  if (payload.kind !== "orders") return []
  return payload.orders.map(({ symbolId, isBuy }) => {
    const symbol = profile.symbols.byId.get(symbolId)
    const side = `${isBuy ? "buy" : "sell"} ${symbol?.name ?? `symbol ${symbolId}`}`
    return { side, quote: symbol?.quote }
  })
}

/**
 * What orders can cost at worst, in words, for the person who decides; where there are several symbols or sides, then of
 * each: `61 orders, up to 220 USD and 64 BTC; 60 buy DOGE-USD: up to 220 USD; 1 sell ETH-BTC: up to 64 BTC`.
 */
export function worstCaseText(sizes: readonly OrderSize[], orders: readonly NamedOrder[]): string {
  const all = orders.map((order, index) => ({ ...order, cost: worstOf(sizes[index]) }))
  if (all.length === 0) return "no order that can be read"
  const total = `${all.length === 1 ? "one order" : `${all.length} orders`}, ${boundText(all)}`
  const groups = [...Map.groupBy(all, ({ side }) => side)]
  if (groups.length === 1) return total
  const parts = groups.map(([side, each]) => `${each.length} ${side}: ${boundText(each)}`)
  return [total, ...parts].join("; ")
}

/** `up to 220 USD and 64 BTC`: amounts of two currencies are never added. */
function boundText(
  orders: readonly (NamedOrder & { readonly cost: Decimal | undefined })[],
): string {
  const sums = new Map<string, Decimal>()
  for (const { quote = "quote units", cost = zero } of orders) {
    sums.set(quote, addDecimals(sums.get(quote) ?? zero, cost))
  }
  const sum = [...sums].map(([quote, each]) => `${formatDecimal(each)} ${quote}`).join(" and ")
  const unsized = orders.filter(({ cost }) => cost === undefined).length
  return unsized === 0 ? `up to ${sum}` : `more than ${sum}: ${unsized} can't be sized`
}
