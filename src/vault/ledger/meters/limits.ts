import { Fault } from "../../../std/fault.ts"
import { type Claim, isEver } from "../../policy/terms.ts"
import { type Clock, openSteadyTime } from "../../process/clock.ts"
import { countedAt } from "../records/request-row.ts"
import type { Headroom } from "../records/reservation.ts"
import type { OutcomeRow, RequestRow } from "../records/row.ts"
import type { SnapshotHead, SnapshotStep, UnheardOutcome } from "../store/meter-queries.ts"
import type { LedgerStore, OpenedState } from "../store/store.ts"
import {
  type BuildClaims,
  type Counted,
  countRecorded,
  follow,
  type MeterEvent,
  type Recount,
} from "./count-recorded.ts"
import { endlessMeters, type Meters, type MetersImage, openMeters } from "./meters.ts"
import { snapshotVersion, writeImage } from "./snapshot-text.ts"

/** The meters in force, and their exchange for others while they are in use. */
export type Limits = ReturnType<typeof openLimits>

/** Counts what is in the last `windowMs` of the time that is counted by, which needn't be wall time. */
type Replacement = Omit<Recount, "sinceMs"> & { readonly windowMs: number }

type State = {
  readonly steady: ReturnType<typeof openSteadyTime>
  readonly snapshots: ReturnType<typeof openMeterSnapshots>
  /** Outcomes that are on their way to the disk. */
  readonly expected: Set<UnheardOutcome>
  /** What counted for ever before there were meters. */
  readonly ever: Meters
  meters: Meters | undefined
  /** What the limits in force make of a request. */
  build: BuildClaims | undefined
  countedBy: string | undefined
  /** What happens while other meters are being made. */
  meanwhile: MeterEvent[] | undefined
}

type LimitsFrom = {
  readonly store: LedgerStore
  readonly clock: Pick<Clock, "nowMs" | "monotonicMs">
}

/** Starts with what counted for ever, by meter, and without others: until they are made, no claim can be asked for. */
export function openLimits(from: LimitsFrom, ever: OpenedState["ever"]) {
  const { store } = from
  const state = stateAt(from, ever)
  const { steady } = state
  let lastDone: Promise<unknown> = Promise.resolve()
  return {
    /** How claims stand. Changes nothing. @throws {Fault} `ledger_unavailable` before the first `replace`. */
    headroom(claims: readonly Claim[], nowMs: number): readonly Headroom[] {
      if (claims.length === 0) return []
      const atMs = Math.max(nowMs, steady.now())
      const rooms = metersOf(state).headroom(claims, atMs)
      return rooms.map((room) => onWall(room, nowMs - atMs))
    },
    /** What is used of every meter. */
    usage: (nowMs: number) => state.meters?.uses(Math.max(nowMs, steady.now())) ?? [],
    /** The enforced claim that doesn't fit for the longest. Call it with safe time only. @throws {Fault} as `headroom` does. */
    ask(claims: readonly Claim[], nowMs: number): Headroom | undefined {
      const atMs = steady.at(nowMs)
      const spent = claims.length === 0 ? undefined : metersOf(state).ask(claims, atMs)
      return spent === undefined ? undefined : onWall(spent, nowMs - atMs)
    },
    /** The time that a request is counted at that is decided at `nowMs`. */
    countingTime: (nowMs: number) => steady.at(nowMs),
    /** Counts a request that is queued in the same turn. */
    count(claims: readonly Claim[], row: RequestRow): void {
      state.snapshots.takeIfDue() // first, for this request isn't queued yet
      state.snapshots.note(1)
      if (claims.length > 0) state.meters?.count(claims, countedAt(row))
      state.meanwhile?.push(countedOf(row))
    },
    /** Counts a request of another host that is queued in the same turn, as a start would. */
    follow: (row: RequestRow) => followRequest(state, row),
    /** To be called in the turn in which an outcome is queued. Another host's says itself when room is given back. */
    expectRelease: (outcome: Pick<OutcomeRow, "id" | "record">, atMs?: number) =>
      expectRelease(state, outcome, atMs),
    /** As the ledger's `replaceMeters`. */
    replace(replacement: Replacement): Promise<void> {
      const build: BuildClaims = (row) =>
        replacement.build(row).filter(({ window }) => !isEver(window))
      const done = lastDone.then(() => replaceMeters(state, store, { ...replacement, build }))
      lastDone = done.catch(() => undefined)
      return done
    },
    /** The steps that keep what is used by now, to be queued in this turn. */
    lastSteps: () => state.snapshots.lastSteps(),
  }
}

function stateAt({ store, clock }: LimitsFrom, ever: OpenedState["ever"]): State {
  const state: State = {
    ...{ steady: openSteadyTime(clock, clock.nowMs()), expected: new Set() },
    ever: openMeters(endlessMeters(ever.map(({ meter, used }) => [meter, used]))),
    snapshots: openMeterSnapshots(store, clock, () => capture(state)),
    ...{ meters: undefined, meanwhile: undefined, build: undefined, countedBy: undefined },
  }
  return state
}

function capture({ meters, countedBy, expected }: State): Captured | undefined {
  if (meters === undefined || countedBy === undefined) return undefined
  const image = meters.image()
  const highWaterMs = image.highWaterMs === -Infinity ? null : image.highWaterMs
  return {
    image,
    head: { version: snapshotVersion, countedBy, highWaterMs, unheard: [...expected] },
  }
}

function metersOf({ meters }: State): Meters {
  if (meters !== undefined) return meters
  throw new Fault(
    "ledger_unavailable",
    "What is used of the limits hasn't been counted yet; wait until the start is over.",
  )
}

function expectRelease(
  state: State,
  { id, record }: Pick<OutcomeRow, "id" | "record">,
  atMs = state.steady.now(),
) {
  const meanwhileThen = state.meanwhile
  state.steady.at(atMs) // what is counted later is counted after it, on another host too
  const expected: UnheardOutcome = { record, outcome: id }
  state.expected.add(expected)
  return {
    /** The time that room is given back at. */
    atMs,
    /** To be called once it is durable, with the request whose room it gives back, if it does. */
    heard(row: RequestRow | undefined): void {
      state.expected.delete(expected)
      if (row === undefined) return
      const event = { kind: "released", row, atMs } as const
      followNow(state, event)
      state.snapshots.note(1)
      state.snapshots.takeIfDue()
      // A replacement that began later reads of it in history.
      if (meanwhileThen !== state.meanwhile) return
      state.meanwhile?.push(event)
    },
  }
}

async function replaceMeters(
  state: State,
  store: LedgerStore,
  { windowMs, ...replacement }: Replacement,
): Promise<void> {
  const recount = { ...replacement, sinceMs: state.steady.now() - windowMs }
  const meanwhile: MeterEvent[] = []
  state.meanwhile = meanwhile
  let counted: Counted
  try {
    counted = await countRecorded(store, recount)
    // From here on nothing is awaited, so that each request is counted exactly once.
    for (const event of meanwhile) followBy(recount.build, counted.meters, event)
  } finally {
    state.meanwhile = undefined
  }
  const { meters, sinceSnapshot } = counted
  // Since the last start the clock may have been set back: time goes on from what was counted last.
  if (meters.highWaterMs() > state.steady.now()) state.steady.at(meters.highWaterMs())
  // Records don't tell what counts for ever: it goes over as it is.
  meters.keepEndless(endlessOf(state).image())
  state.meters = meters
  state.build = recount.build
  state.countedBy = recount.countedBy
  recount.exchanged?.()
  if (sinceSnapshot === undefined) state.snapshots.take()
  else state.snapshots.note(sinceSnapshot + meanwhile.length)
}

function followBy(build: BuildClaims, meters: Meters, event: MeterEvent): void {
  follow(meters, { ...event, claims: build(event.row) })
}

/** By the limits in force, as when all is counted anew: they needn't be those that it was recorded under. */
function followNow({ meters, build }: State, event: MeterEvent): void {
  if (meters !== undefined && build !== undefined) followBy(build, meters, event)
}

function followRequest(state: State, row: RequestRow): void {
  const event = countedOf(row)
  state.steady.at(event.atMs)
  state.snapshots.note(1)
  followNow(state, event)
  // Its host counted what is for ever; limits that only this host has don't know of it.
  if (row.ever !== undefined) endlessOf(state).keepEndless(endlessMeters(Object.entries(row.ever)))
  state.meanwhile?.push(event)
}

const countedOf = (row: RequestRow): MeterEvent => ({ kind: "counted", row, atMs: countedAt(row) })

const endlessOf = ({ meters, ever }: State): Meters => meters ?? ever

function onWall(room: Headroom, shiftMs: number): Headroom {
  const { freesAtMs } = room
  return { ...room, freesAtMs: freesAtMs === undefined ? undefined : freesAtMs + shiftMs }
}

/** How many changes may wait for a snapshot: what a start after a crash has to fold. */
export const maxChanges = 5_000
/** How long a change may wait for one while others follow. */
export const maxAgeMs = 60_000

/** The meters at this moment, and all but them that a snapshot says. */
type Captured = { readonly head: SnapshotHead; readonly image: MetersImage }

/**
 * Keeps a recent snapshot of the meters in the ledger, so that a start needn't count all again.
 * Captures by `capture`, which answers `undefined` as long as no snapshot can be made.
 *
 * What is captured never changes, so it is written bit by bit after the turn; the place in the journal that
 * it belongs to is taken in the turn itself.
 */
export function openMeterSnapshots(
  store: LedgerStore,
  clock: Pick<Clock, "monotonicMs">,
  capture: () => Captured | undefined,
) {
  let changes = 0
  let takenAtMs = clock.monotonicMs()
  /** The one that is being written. */
  let current: Captured | undefined

  function take(): void {
    const captured = capture()
    if (captured === undefined) return
    changes = 0
    takenAtMs = clock.monotonicMs()
    current = captured
    const isCurrent = () => current === captured
    write(store, captured, isCurrent).then(
      () => {
        if (isCurrent()) current = undefined
      },
      () => undefined, // the ledger is closed or broken, which every other call tells of
    )
  }

  return {
    /** To be called when the meters hold `changes` more requests or releases. */
    note(more: number): void {
      changes += more
    },
    /** Takes one if it is time. All that the meters hold must have been queued. */
    takeIfDue(): void {
      if (changes === 0 || current !== undefined) return
      if (changes >= maxChanges || clock.monotonicMs() - takenAtMs >= maxAgeMs) take()
    },
    /** Takes one now, whatever was begun before. All that the meters hold must have been queued. */
    take,
    /** The steps that keep the last state, to be queued in this turn; none if it is kept already. */
    lastSteps(): readonly SnapshotStep[] {
      const captured = changes > 0 || current !== undefined ? capture() : undefined
      current = undefined
      return captured === undefined ? [] : [...stepsOf(captured)]
    },
  }
}

/** A later snapshot takes the place of one that isn't whole: what is left of it isn't written. */
async function write(
  store: LedgerStore,
  captured: Captured,
  isCurrent: () => boolean,
): Promise<void> {
  for (const step of stepsOf(captured)) {
    if (!isCurrent()) return
    await store.run("takeSnapshot", step)
  }
}

/** Each text is written as it is asked for. */
function* stepsOf({ head, image }: Captured): Generator<SnapshotStep> {
  yield { kind: "begin" }
  for (const text of writeImage(image)) yield { kind: "add", text }
  yield { kind: "end", head }
}
