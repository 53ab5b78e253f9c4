import {
  addDecimals,
  compareDecimals,
  minDecimal,
  subtractDecimals,
  zero,
  type Decimal,
} from "../../../venue/decimal.ts"
import { ever, type Claim, type ClaimWindow } from "../../policy/terms.ts"
import { longestDayMs } from "../../policy/values/local-clock.ts"
import { readDecimal } from "../records/prices.ts"
import {
  groupClaims,
  meterIdOf,
  type ClaimGroup,
  type LimitAsk,
  type Refund,
} from "../records/request-row.ts"
import type { Headroom } from "../records/reservation.ts"
import { expiringSum, type ExpiringSum, type SumPart } from "./expiring-sum.ts"

/**
 * What is used of every limit, in memory. Time comes with each call; one that lies before the latest time
 * that anything was counted at is taken as that time, so a clock that goes back frees nothing.
 *
 * A rolling window is half-open: what is taken at t counts while the time is below t + length. To bound
 * memory, amounts of a busy meter are kept in at most about 1,000 parts (2,000 for windows below two
 * seconds, whose parts are single milliseconds). A part ends with its last amount, so nothing counts
 * shorter than the window, and nothing more than 0.1 % longer.
 */
export type Meters = ReturnType<typeof openMeters>

/** Meters as they were at a moment; those that are made of it go on as they would have. It never changes. */
export type MetersImage = { readonly highWaterMs: number; readonly meters: readonly MeterImage[] }

/** `id` tells meters apart, `name` is what claims call it. */
export type MeterImage = {
  readonly id: string
  readonly name: string
  readonly bucketMs: number
  readonly used: readonly SumPart[]
  readonly givenBack: readonly SumPart[]
}

/** What is used of a meter, by the name that claims give it. */
export type MeterUse = { readonly meter: string; readonly used: Decimal }

type Meter = {
  readonly name: string
  readonly bucketMs: number
  readonly used: ExpiringSum
  readonly givenBack: ExpiringSum
}

type State = {
  readonly meters: Map<string, Meter>
  highWaterMs: number
  sweptAtMs: number
}

const sweepEveryMs = 1_000

const nothingUsed: MetersImage = { highWaterMs: -Infinity, meters: [] }

/** Goes on from an image; starts with nothing used without one. */
export function openMeters({ highWaterMs, meters }: MetersImage = nothingUsed) {
  const opened = new Map(meters.map((image) => [image.id, openMeter(image)]))
  const state: State = { meters: opened, highWaterMs, sweptAtMs: -Infinity }
  const ask = (claims: readonly Claim[], nowMs: number) =>
    spentLongest(headroom(state, claims, nowMs))
  const count = (claims: readonly Claim[], nowMs: number) => {
    advance(state, nowMs)
    for (const group of groupClaims(claims)) countGroup(state, group)
  }
  return {
    /** Whether all enforced claims fit. Changes nothing. */
    ask,
    /** Counts claims without asking: of what was allowed already. */
    count,
    /** How each claim stands, in their order. Changes nothing. */
    headroom: (claims: readonly Claim[], nowMs: number) => headroom(state, claims, nowMs),
    /** Counts all claims if every enforced one fits, else none. */
    take(claims: readonly Claim[], nowMs: number): Headroom | undefined {
      const spent = ask(claims, nowMs)
      if (spent === undefined) count(claims, nowMs)
      return spent
    },
    /** Gives back what was taken at `takenAtMs`; of each meter at most `max` within a window. */
    release(refunds: readonly Refund[], takenAtMs: number, nowMs: number): void {
      for (const refund of refunds) {
        const meter = state.meters.get(meterIdOf({ ...refund, release: "refused" }))
        if (meter !== undefined) giveBack(meter, refund, { takenAtMs, nowMs: timeIn(state, nowMs) })
      }
    },
    /** What of each meter is used, of those that have anything left. */
    uses: (nowMs: number) =>
      [...state.meters.values()]
        .map(({ name, used }) => ({ meter: name, used: used.total(timeIn(state, nowMs)) }))
        .filter(({ used }) => used.coefficient > 0n),
    /** The latest time that anything was counted at. */
    highWaterMs: () => state.highWaterMs,
    /** How many meters there are, and how many parts they keep. */
    size: () => ({
      meters: state.meters.size,
      parts: state.meters.values().reduce((sum, meter) => sum + sizeOf(meter), 0),
    }),
    /** All that they hold now. It takes the time of copying one reference a part. */
    image: () => ({
      highWaterMs: state.highWaterMs,
      meters: [...state.meters].map(([id, meter]) => imageOf(id, meter)),
    }),
    /** Goes on with those of an image that count for ever. */
    keepEndless: (image: MetersImage) => keepEndless(state, image),
  }
}

/** Meters that count for ever, by their names and what the ledger keeps of them. */
export function endlessMeters(kept: readonly (readonly [string, string])[]): MetersImage {
  const times = { fromMs: 0, firstUntilMs: Infinity, untilMs: Infinity }
  const meters = kept.map(([name, used]) => ({
    ...{ id: meterIdOf({ meter: name, window: ever, release: "never" }), name, bucketMs: Infinity },
    ...{ used: [{ ...times, amount: readDecimal(used) }], givenBack: [] },
  }))
  return { ...nothingUsed, meters }
}

function keepEndless(state: State, { meters }: MetersImage): void {
  for (const image of meters) {
    if (image.bucketMs === Infinity) state.meters.set(image.id, openMeter(image))
  }
}

function timeIn({ highWaterMs }: State, nowMs: number): number {
  return Math.max(highWaterMs, nowMs)
}

function headroom(state: State, claims: readonly Claim[], nowMs: number): readonly Headroom[] {
  const rooms = groupClaims(claims).flatMap((group) =>
    roomsOf(group, state.meters.get(group.meterId), timeIn(state, nowMs)),
  )
  const byClaim = new Map(rooms.map((room) => [room.claim, room]))
  return claims.flatMap((claim) => byClaim.get(claim) ?? [])
}

/** Lets time go on, and now and then forgets meters with nothing left. */
function advance(state: State, nowMs: number): void {
  state.highWaterMs = timeIn(state, nowMs)
  if (state.highWaterMs - state.sweptAtMs < sweepEveryMs) return
  state.sweptAtMs = state.highWaterMs
  for (const [id, meter] of state.meters) {
    dropExpired(meter, state.highWaterMs)
    if (sizeOf(meter) === 0) state.meters.delete(id)
  }
}

function countGroup({ meters, highWaterMs }: State, group: ClaimGroup): void {
  const { meterId, meter: name, window, amount } = group
  if (amount.coefficient === 0n) return
  const meter = meters.get(meterId) ?? newMeter(name, window)
  meters.set(meterId, meter)
  dropExpired(meter, highWaterMs)
  meter.used.add(amount, highWaterMs, endOf(window, meter.used, highWaterMs))
}

function newMeter(name: string, window: ClaimWindow): Meter {
  // Of a day all parts end together.
  const bucketMs = window.kind === "day" ? 1 : Math.max(1, Math.floor(window.lengthMs / 1_000))
  return openMeter({ name, bucketMs, used: [], givenBack: [] })
}

function openMeter({ name, bucketMs, used, givenBack }: Omit<MeterImage, "id">): Meter {
  return {
    name,
    bucketMs,
    used: expiringSum(bucketMs, used),
    givenBack: expiringSum(bucketMs, givenBack),
  }
}

function imageOf(id: string, { name, bucketMs, used, givenBack }: Meter): MeterImage {
  return { id, name, bucketMs, used: used.parts(), givenBack: givenBack.parts() }
}

/** Until when an amount counts that is taken at `atMs`. */
function endOf(window: ClaimWindow, sum: ExpiringSum, atMs: number): number {
  if (window.kind === "rolling") return atMs + window.lengthMs
  if (window.endMs > atMs) return window.endMs
  // The clock was set back into a day that was over: which day it is really isn't known, so the amount
  // counts with what was taken last, or else as long as the longest day.
  const lastMs = sum.lastUntilMs() ?? atMs
  return lastMs > atMs ? lastMs : atMs + longestDayMs
}

function roomsOf(group: ClaimGroup, meter: Meter | undefined, nowMs: number): readonly Headroom[] {
  const used = meter?.used.total(nowMs) ?? zero
  return group.asks.flatMap((ask) =>
    ask.claims.map((claim) => ({
      claim,
      asked: ask.asked,
      used,
      fits: compareDecimals(addDecimals(used, ask.asked), claim.max) <= 0,
      freesAtMs: freesAt({ ask, claim }, meter, nowMs),
    })),
  )
}

function freesAt(
  { ask, claim }: { readonly ask: LimitAsk; readonly claim: Claim },
  meter: Meter | undefined,
  nowMs: number,
): number | undefined {
  if (compareDecimals(ask.asked, claim.max) > 0) return undefined
  const rest = subtractDecimals(claim.max, ask.asked)
  const atMs = meter?.used.downToAtMs(rest, nowMs) ?? nowMs
  return atMs === Infinity ? undefined : atMs
}

/** Of the limits that are spent, the one that a request is refused for: whoever waits for that waits for all. */
export function spentLongest(rooms: readonly Headroom[]): Headroom | undefined {
  const spent = rooms.filter(({ fits, claim }) => !fits && claim.mode === "enforce")
  const [first, ...others] = spent
  return others.reduce((latest, room) => (isLater(room, latest) ? room : latest), first)
}

function isLater(room: Headroom, than: Headroom | undefined): boolean {
  return (room.freesAtMs ?? Infinity) > (than?.freesAtMs ?? Infinity)
}

function giveBack(
  { used, givenBack }: Meter,
  { amount, max, window }: Refund,
  { takenAtMs, nowMs }: { readonly takenAtMs: number; readonly nowMs: number },
): void {
  givenBack.drop(nowMs)
  used.drop(nowMs)
  const earlier = givenBack.total(nowMs)
  if (compareDecimals(earlier, max) >= 0) return
  const given = used.takeBack(minDecimal(amount, subtractDecimals(max, earlier)), takenAtMs)
  if (given.coefficient > 0n) givenBack.add(given, nowMs, endOf(window, givenBack, nowMs))
}

function dropExpired({ used, givenBack }: Meter, nowMs: number): void {
  used.drop(nowMs)
  givenBack.drop(nowMs)
}

function sizeOf({ used, givenBack }: Meter): number {
  return used.size() + givenBack.size()
}
