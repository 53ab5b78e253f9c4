import { enlarges } from "../../../src/vault/guards/exposure.ts"
import { type Exposure, openExposure } from "../../../src/vault/guards/open-exposure.ts"
import type { Opener, PositionMode, Reading } from "../../../src/vault/guards/exposure.ts"
import { judgeGuard, leastFreed } from "../../../src/vault/guards/guard.ts"
import { isBelieved, nothingFor } from "../../../src/vault/guards/reach.ts"
import type { Guard } from "../../../src/vault/policy/guard-terms.ts"
import { type Decimal, wholeDecimal, zero } from "../../../src/venue/decimal.ts"
import { openVenue, type OpenOrder, type Truth, type VenueOrder } from "./venue.ts"

/** What a history is played under. */
export type Setup = {
  readonly mode: PositionMode
  /** How far the ledger's clock is ahead of the venue's. */
  readonly aheadMs: number
  /** Whether readings tell the venue's time. */
  readonly tells: "always" | "at_times" | "never"
  readonly validityMs: number
  /** Whether the guard bounds what is open, besides positions. */
  readonly boundsOrders: boolean
  readonly isGross: boolean
}

/** What can be wrong with how readings are made, or with what is made of them. */
export type Slip = {
  readonly reads?: "positions_first" | "positions_older" | "without_lag" | "one_at_a_time"
  readonly around?: (exposure: Exposure) => Exposure
  /** Whether somebody else trades the account, once. */
  readonly others?: "trade"
  /** Whether who reads lies, but for what is read first. Then days pass too, and the guard has `max_freed`. */
  readonly reader?: "lies"
}

export const lagMs = 3_000

/** Per symbol: the most base units of a position, and the reference price. */
const symbols = [
  { id: 1, most: 10, reference: 7 },
  { id: 2, most: 6, reference: 3 },
] as const
const mostOrders = 3
const mostNotional = 100

const units = (whole: number): Decimal => wholeDecimal(BigInt(whole))
const referencePrice = (id: number) => units(referenceOf(id))
const referenceOf = (id: number): number => symbols.find((symbol) => symbol.id === id)!.reference

/** Base units of each side in a day, of a reader that lies. */
const maxFreed = 4
const dayMs = 86_400_000

function guardOf({ boundsOrders, isGross, mode }: Setup, { reader }: Slip): Guard {
  const [first, second] = symbols
  const kind = isGross && mode === "hedge" ? "gross" : "net"
  return {
    name: "of a test",
    maxPosition: {
      bySymbol: new Map([[first.id, { kind, max: units(first.most) }]]),
      default: { kind: "notional", max: units(second.most * second.reference) },
    },
    maxFreed: reader === "lies" ? { bySymbol: new Map(), default: units(maxFreed) } : undefined,
    maxOpenOrders: boundsOrders ? mostOrders : undefined,
    maxOpenNotional: boundsOrders ? units(mostNotional) : undefined,
    loss: undefined,
  }
}

/** What passes a bound, if anything does. A reader that lies lets a position come to a little more each day. */
function overOf({ venue, setup, slip, nowMs }: World): string | undefined {
  if (slip.others === "trade") return undefined
  const freed = slip.reader === "lies" ? maxFreed * (1 + Math.floor(nowMs / dayMs)) : 0
  const over = overPosition(venue.now(), setup, freed)
  return over ?? (setup.boundsOrders && freed === 0 ? overOrders(venue.now()) : undefined)
}

function overPosition(
  { positions }: Truth,
  { isGross, mode }: Setup,
  freed: number,
): string | undefined {
  for (const { id, most } of symbols) {
    const held = positions.filter(({ symbol }) => symbol === id)
    const sizes = held.map(({ quantity }) => Math.abs(quantity))
    const isSummed = id === 1 && isGross && mode === "hedge"
    const size = isSummed ? sizes.reduce((sum, each) => sum + each, 0) : Math.max(0, ...sizes)
    if (size > most + (isSummed ? 2 * freed : freed)) return `${size} of ${most} of symbol ${id}`
  }
  return undefined
}

function overOrders({ orders }: Truth): string | undefined {
  const opening = orders.filter((order) => opens(order))
  if (opening.length > mostOrders) return `${opening.length} open orders`
  const notional = opening.reduce((sum, order) => sum + order.remaining * worstPrice(order), 0)
  return notional > mostNotional ? `${notional} of open orders` : undefined
}

function opens({ reduceOnly, positionSide, isBuy }: VenueOrder): boolean {
  return !reduceOnly && (positionSide === undefined || (positionSide === "long") === isBuy)
}

function worstPrice({ isBuy, price, symbol }: VenueOrder): number {
  return isBuy ? price : Math.max(price, referenceOf(symbol))
}

type Signed = {
  readonly record: string
  readonly expiresAfterMs: number
  readonly orders: readonly VenueOrder[]
}

type Begun = {
  readonly askedAtMs: number
  /** Of what was read first. */
  readAtMs?: number
  venueAtMs?: number | undefined
  orders?: readonly OpenOrder[]
  positions?: Truth["positions"]
}

/** What a history came to. */
export type Played = {
  /** What it passed, if anything. */
  readonly over: string | undefined
  /** How many requests with openers were granted. */
  readonly granted: number
  /** How many that only reduce were refused, and one of them that could have reduced something. */
  readonly idle: number
  readonly wronged: string | undefined
  /** Whether a reading showed more than could be. */
  readonly isContradicted: boolean
  readonly foreign: Foreign
}

/** What became of a trade of somebody else. */
type Foreign = {
  /** When it was. */
  atMs: number
  /** How many readings showed it first, and whether one wasn't noticed. */
  shown: number
  isMissed: boolean
  /** What a reading freed that contradicted what was known. */
  freed: string | undefined
}

/** Plays a history: each number is a step, and what is chosen in it. */
export function play(steps: readonly number[], setup: Setup, slip: Slip = {}): Played {
  const world = worldOf(setup, slip)
  for (const step of steps) {
    takeStep(world, choicesOf(step))
    const over = overOf(world)
    if (over !== undefined) return playedOf(world, over)
  }
  return playedOf(world, undefined)
}

function playedOf(world: World, over: string | undefined): Played {
  const { granted, idle, wronged, exposure } = world
  const isContradicted = world.isContradicted || exposure.contradiction() !== undefined
  return { over, granted, idle, wronged, isContradicted, foreign: world.foreign }
}

type World = ReturnType<typeof worldOf>

function worldOf(setup: Setup, slip: Slip) {
  const open = (): Exposure => {
    const exposure = openExposure({ lagMs })
    return slip.around?.(exposure) ?? exposure
  }
  return {
    ...{ setup, slip, open, guard: guardOf(setup, slip), venue: openVenue(), exposure: open() },
    ...{ nowMs: 1_000_000, granted: 0, idle: 0, isContradicted: false },
    wronged: undefined as string | undefined,
    foreign: { atMs: Infinity, shown: 0, isMissed: false, freed: undefined } as Foreign,
    tradesAfter: 50,
    told: [] as Reading[],
    signed: [] as Signed[],
    /** Signed, and not at the venue yet. */
    underway: new Set<Signed>(),
    begun: new Set<Begun>(),
  }
}

/** Whole numbers below an end, made of one number. Mulberry32. */
type Choices = (end: number) => number

function choicesOf(seed: number): Choices {
  let state = seed
  return (end) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % end
  }
}

const stepKinds: readonly (readonly [
  weight: number,
  step: (world: World, choose: Choices) => void,
])[] = [
  [24, ask],
  [20, deliver],
  [10, fill],
  [3, cancel],
  [2, liquidate],
  [8, begin],
  [24, readOn],
  [1, restart],
]
const allWeights = stepKinds.reduce((sum, [weight]) => sum + weight, 0)

function takeStep(world: World, choose: Choices): void {
  // Much happens within a lag, and now and then all that is signed runs out.
  world.nowMs += choose(12) === 0 ? choose(10_000) : choose(300)
  playOthers(world, choose)
  let at = choose(allWeights)
  for (const [weight, step] of stepKinds) {
    if (at < weight) {
      step(world, choose)
      return
    }
    at -= weight
  }
}

/** What happens beside, where a slip has it: somebody else's trade, and the next day. */
function playOthers(world: World, choose: Choices): void {
  const { others, reader } = world.slip
  const isKnown = world.exposure.reading() !== undefined
  if (others === "trade" && isKnown && world.tradesAfter-- === 0) tradeAbroad(world, choose)
  if (reader === "lies" && choose(200) === 0) world.nowMs += dayMs - choose(30_000)
}

function pick<Item>(items: Iterable<Item>, choose: Choices): Item | undefined {
  const all = [...items]
  return all.length === 0 ? undefined : all[choose(all.length)]
}

const venueNow = ({ nowMs, setup }: World): number => nowMs - setup.aheadMs

function anOrder({ setup: { mode }, slip }: World, choose: Choices): VenueOrder {
  const order = {
    symbol: choose(4) === 0 ? 2 : 1,
    // Lies are worth most to who always buys.
    isBuy: slip.reader === "lies" ? choose(12) > 0 : choose(2) === 0,
    positionSide: mode === "one_way" ? undefined : choose(2) === 0 ? "long" : "short",
    quantity: 1 + choose(6),
    price: 2 + choose(8),
    reduceOnly: false,
  } as const
  const isEither = mode === "hedge" && opens(order)
  return { ...order, reduceOnly: !isEither && choose(4) === 0 }
}

function ask(world: World, choose: Choices): void {
  const orders = Array.from({ length: choose(4) === 0 ? 3 : 1 }, () => anOrder(world, choose))
  const { guard, exposure, setup } = world
  const openers = openersOf(orders, setup.mode)
  if (judgeGuard(guard, exposure, { openers, referencePrice, loss: undefined }) !== undefined)
    return
  if (orders.every(({ reduceOnly }) => reduceOnly) && isIdle(world, orders)) return
  const record = `r${world.signed.length}`
  const signed = { record, expiresAfterMs: world.nowMs + setup.validityMs, orders }
  world.signed.push(signed)
  world.underway.add(signed)
  if (openers.length > 0) world.granted += 1
  exposure.took({ record, expiresAfterMs: signed.expiresAfterMs, openers })
}

/** Whether orders that only reduce are refused; by the venue's truth none of them may have anything to reduce. */
function isIdle(world: World, orders: readonly VenueOrder[]): boolean {
  const { exposure, setup, nowMs } = world
  const asked = orders.map((order) => ({
    order: { ...order, symbolId: order.symbol, algoOrderType: undefined },
  }))
  const askedAtMs = exposure.reading()?.askedAtMs ?? -Infinity
  const nothing = nothingFor(asked, { mode: setup.mode, exposure })
  if (nothing === undefined || !isBelieved(nowMs - askedAtMs)) return false
  world.idle += 1
  if (orders.some((order) => canReduce(world, order))) world.wronged = JSON.stringify(orders)
  return true
}

/** That it has a position before it, or that one can come of what is open or on its way. */
function canReduce(world: World, order: VenueOrder): boolean {
  const { venue, underway, setup } = world
  const isBefore = ({ symbol, side, quantity }: Truth["positions"][number]) =>
    symbol === order.symbol && (side === order.positionSide || quantity < 0 === order.isBuy)
  const isOpposite = (other: VenueOrder) =>
    other.symbol === order.symbol &&
    other.isBuy !== order.isBuy &&
    other.positionSide === order.positionSide &&
    opens(other)
  const { positions, orders } = venue.now()
  const inTime = [...underway].filter(({ expiresAfterMs }) => expiresAfterMs >= venueNow(world))
  const coming = [...orders, ...inTime.flatMap((signed) => signed.orders)]
  const held = positions.filter(
    ({ side }) => setup.mode === "one_way" || side === order.positionSide,
  )
  return held.some(isBefore) || coming.some(isOpposite)
}

function openersOf(orders: readonly VenueOrder[], mode: PositionMode): readonly Opener[] {
  return orders.flatMap((order) => {
    const side = enlarges(mode, order)
    if (side === undefined) throw new Error("the model names a side in hedge mode")
    const { symbol: symbolId, quantity } = order
    const notional = units(quantity * worstPrice(order))
    const size = { quantity: units(quantity), notional, cost: zero }
    return side === "neither" ? [] : [{ symbolId, side, ...size }]
  })
}

/** What arrives in time is taken, but one order of a batch may be refused. */
function deliver(world: World, choose: Choices): void {
  const signed = pick(world.underway, choose)
  if (signed === undefined) return
  if (choose(2) === 0) waitForTheLastMoment(world, signed)
  world.underway.delete(signed)
  if (venueNow(world) > signed.expiresAfterMs) return
  for (const order of signed.orders) {
    if (choose(8) === 0) continue
    const fills = choose(3) === 0 ? choose(order.quantity + 1) : 0
    world.venue.accept(world.nowMs, order, fills)
  }
}

function waitForTheLastMoment(world: World, { expiresAfterMs }: Signed): void {
  const lastMs = expiresAfterMs + world.setup.aheadMs
  if (lastMs > world.nowMs && lastMs < world.nowMs + 25_000) world.nowMs = lastMs
}

function fill({ venue, nowMs }: World, choose: Choices): void {
  const order = pick(venue.now().orders, choose)
  if (order === undefined) return
  venue.fill(nowMs, order, choose(2) === 0 ? order.remaining : 1 + choose(order.remaining))
}

function cancel({ venue, nowMs }: World, choose: Choices): void {
  const order = pick(venue.now().orders, choose)
  if (order !== undefined) venue.cancel(nowMs, order)
}

function liquidate({ venue, nowMs }: World, choose: Choices): void {
  const position = pick(venue.now().positions, choose)
  if (position !== undefined) venue.liquidate(nowMs, position, 1 + choose(10))
}

/** Ten times what the guard allows, filled at once. */
function tradeAbroad({ venue, nowMs, setup, foreign }: World, choose: Choices): void {
  const [{ id: symbol, most }, isBuy] = [symbols[0], choose(2) === 0]
  const positionSide = setup.mode === "one_way" ? undefined : isBuy ? "long" : "short"
  const order = { symbol, isBuy, positionSide, price: 5, reduceOnly: false } as const
  venue.accept(nowMs, { ...order, quantity: 10 * most }, 10 * most)
  foreign.atMs = nowMs
}

function restart(world: World): void {
  world.isContradicted ||= world.exposure.contradiction() !== undefined
  world.foreign.atMs = Infinity // the first reading after it is taken as it is
  world.exposure = world.open()
  for (const { record, expiresAfterMs, orders } of world.signed) {
    const openers = openersOf(orders, world.setup.mode)
    world.exposure.took({ record, expiresAfterMs, openers })
  }
}

function begin({ begun, nowMs, slip }: World): void {
  if (begun.size < (slip.reads === "one_at_a_time" ? 1 : 3)) begun.add({ askedAtMs: nowMs })
}

/** What is shown now: what was true at a moment within the last `lagMs`. */
function shown({ venue, nowMs }: World, choose: Choices): Truth {
  const oldMs = [0, lagMs, choose(lagMs + 1)][choose(3)]!
  return venue.at(nowMs - oldMs)
}

/** The next part of a reading that was begun, or its end: taken or lost. */
function readOn(world: World, choose: Choices): void {
  const reading = pick(world.begun, choose)
  if (reading === undefined) return
  const { orders, positions, readAtMs } = reading
  if (orders !== undefined && positions !== undefined) {
    world.begun.delete(reading)
    const told = toldOf(world, { ...reading, orders, positions })
    if (choose(8) > 0) take(world, world.slip.reader === "lies" ? lie(world, told, choose) : told)
  } else if (readAtMs === undefined) readFirst(world, reading, choose)
  else readSecond(world, { reading, readAtMs }, choose)
}

/** Looks at what a reading does that contradicts, and whether one does that has to. */
function take({ exposure, foreign, guard }: World, told: Reading): void {
  const before = figuresOf(exposure)
  if (!exposure.read(told, leastFreed([guard])) || before === undefined) return
  const seen = exposure.contradiction()
  if (seen?.askedAtMs === told.askedAtMs) foreign.freed ??= lessOf(before, figuresOf(exposure))
  // Far beyond what could be counted of orders that are allowed, at times twice.
  const isShown = told.positions.some(({ quantity }) => Number(quantity.coefficient) >= 50)
  if (told.askedAtMs > foreign.atMs && isShown) {
    Object.assign(foreign, { atMs: Infinity, shown: 1, isMissed: seen === undefined })
  }
}

/** What a reader may say that lies: the truth, "all is gone", what was once, or what another account has. */
function lie({ exposure, told: earlier, setup }: World, told: Reading, choose: Choices): Reading {
  earlier.push(told)
  if (exposure.reading() === undefined) return told
  const { orders, positions } = pick(earlier, choose) ?? told
  const venueAtMs = choose(2) === 0 ? undefined : told.askedAtMs + dayMs
  const held = symbols.flatMap(({ id: symbolId }) => {
    const sides = setup.mode === "hedge" ? (["long", "short"] as const) : (["short"] as const)
    return sides.map((side) => ({ symbolId, side, quantity: units(choose(9)) }))
  })
  const lies: readonly Reading[] = [
    told,
    { ...told, venueAtMs, orders: [], positions: [] },
    { ...told, venueAtMs, orders, positions },
    { ...told, venueAtMs, orders: [], positions: held },
  ]
  return lies[choose(lies.length)]!
}

function lessOf(before: readonly number[], after: readonly number[] = []): string | undefined {
  const isLess = before.some((figure, index) => (after[index] ?? 0) < figure)
  return isLess ? `${before.join(" ")} became ${after.join(" ")}` : undefined
}

/** How far each side could come, and how many orders may be open; of what these come to less is kept. */
function figuresOf(exposure: Exposure): readonly number[] | undefined {
  const worst = exposure.worst([])
  if (typeof worst === "string") return undefined
  const parts = [
    ...symbols.flatMap(({ id }) => [worst.position(id, "long"), worst.position(id, "short")]),
    worst.openOrders,
  ]
  return parts.map(({ measured, inFlight }) => Number(measured.coefficient + inFlight.coefficient))
}

function readFirst(world: World, reading: Begun, choose: Choices): void {
  const { reads } = world.slip
  reading.readAtMs = world.nowMs
  if (reads !== "positions_first") readOrders(world, reading, choose)
  if (reads === "positions_first" || reads === "positions_older") {
    reading.positions = shown(world, choose).positions
  }
}

function readSecond(
  world: World,
  { reading, readAtMs }: { readonly reading: Begun; readonly readAtMs: number },
  choose: Choices,
): void {
  if (choose(2) === 0) world.nowMs = Math.max(world.nowMs, readAtMs + lagMs)
  if (world.nowMs < readAtMs + lagMs) return
  if (reading.orders === undefined) readOrders(world, reading, choose)
  else reading.positions = shown(world, choose).positions
}

function readOrders(world: World, reading: Begun, choose: Choices): void {
  const { tells } = world.setup
  reading.orders = shown(world, choose).orders
  const isTold = tells === "always" || (tells === "at_times" && choose(2) === 0)
  reading.venueAtMs = isTold ? venueNow(world) : undefined
}

type Whole = Begun & Required<Pick<Begun, "orders" | "positions">>

function toldOf(
  { setup, slip }: World,
  { askedAtMs, venueAtMs, orders, positions }: Whole,
): Reading {
  const laterMs = slip.reads === "without_lag" ? lagMs : 0
  return {
    askedAtMs: askedAtMs + laterMs,
    venueAtMs: venueAtMs === undefined ? undefined : venueAtMs + laterMs,
    equity: undefined,
    orders: orders.map((order) => ({
      ...{ symbolId: order.symbol, side: enlarges(setup.mode, order) ?? "neither" },
      ...{ isBuy: order.isBuy, remaining: units(order.remaining), price: units(order.price) },
    })),
    positions: positions.map(({ symbol, side, quantity }) => ({
      symbolId: symbol,
      side: side === "net" ? (quantity < 0 ? "short" : "long") : side,
      quantity: units(Math.abs(quantity)),
    })),
  }
}
