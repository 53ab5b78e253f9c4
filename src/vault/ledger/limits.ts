import { Fault } from "../../std/fault.ts"
import type { Clock } from "../clock.ts"
import type { Claim } from "../policy/claim.ts"
import { readRefund } from "./claim-fields.ts"
import type { CommitQueue } from "./commit-queue.ts"
import { countRecorded, type Counted, type Recount } from "./count-recorded.ts"
import { followEvent, type MeterEvent } from "./fold-meters.ts"
import { openMeterSnapshots, type Captured, type MeterSnapshots } from "./meter-snapshots.ts"
import { openMeters, type Asked, type Headroom, type Meters, type MeterUse } from "./meters.ts"
import { recordedRequest } from "./recorded-request.ts"
import type { OutcomeRow, RequestRow } from "./row.ts"
import { snapshotVersion, type UnheardOutcome } from "./snapshot-text.ts"
import { openSteadyTime, type SteadyTime } from "./steady-time.ts"
import type { Job } from "./worker-messages.ts"

/** The meters in force, and their exchange for others while they are in use. */
export type Limits = {
  /** How claims stand. Changes nothing. @throws {Fault} `ledger_unavailable` before the first `replace`. */
  headroom(claims: readonly Claim[], nowMs: number): readonly Headroom[]
  /** What is used of every meter. */
  usage(nowMs: number): readonly MeterUse[]
  /** Whether claims fit. Call it with safe time only. @throws {Fault} as `headroom` does. */
  ask(claims: readonly Claim[], nowMs: number): Asked
  /** The time that a request is counted at that is decided at `nowMs`. */
  countingTime(nowMs: number): number
  /** Counts a request that is queued in the same turn. */
  count(claims: readonly Claim[], row: RequestRow): void
  /** To be called in the turn in which an outcome is queued. */
  expectRelease(outcome: Pick<OutcomeRow, "id" | "record">): ExpectedRelease
  /** As the ledger's `replaceMeters`. */
  replace(recount: Recount): Promise<void>
  /** The jobs that keep what is used by now, to be queued in this turn. */
  lastJobs(): readonly Job[]
}

/** An outcome that is on its way to the disk. */
export type ExpectedRelease = {
  /** The time that room is given back at. */
  readonly atMs: number
  /** To be called once it is durable, with the request whose room it gives back, if it does. */
  heard(request: RequestRow | undefined): void
}

type State = {
  readonly queue: CommitQueue
  readonly steady: SteadyTime
  readonly snapshots: MeterSnapshots
  /** Outcomes that are on their way to the disk. */
  readonly expected: Set<UnheardOutcome>
  meters: Meters | undefined
  countedBy: string | undefined
  /** What happens while other meters are being made. */
  meanwhile: MeterEvent[] | undefined
}

/** Starts without meters: until the first are made, no claim can be asked for. */
export function openLimits(queue: CommitQueue, clock: Clock): Limits {
  const steady = openSteadyTime(clock, clock.nowMs())
  const state: State = {
    ...{ queue, steady, expected: new Set(), meters: undefined, meanwhile: undefined },
    snapshots: openMeterSnapshots(queue, clock, () => capture(state)),
    countedBy: undefined,
  }
  let lastDone: Promise<unknown> = Promise.resolve()
  return {
    headroom(claims, nowMs) {
      const atMs = Math.max(nowMs, steady.now())
      const rooms = metersFor(claims, state).headroom(claims, atMs)
      return rooms.map((room) => onWall(room, nowMs - atMs))
    },
    usage: (nowMs) => state.meters?.uses(Math.max(nowMs, steady.now())) ?? [],
    ask(claims, nowMs) {
      const atMs = steady.at(nowMs)
      const { spent, over } = metersFor(claims, state).ask(claims, atMs)
      const shiftMs = nowMs - atMs
      return {
        spent: spent === undefined ? undefined : onWall(spent, shiftMs),
        over: over.map((room) => onWall(room, shiftMs)),
      }
    },
    countingTime: (nowMs) => steady.at(nowMs),
    count(claims, row) {
      state.snapshots.takeIfDue() // first, for this request isn't queued yet
      state.snapshots.note(1)
      state.meters?.count(claims, row.counted_at ?? row.at_ms)
      state.meanwhile?.push({ kind: "counted", request: recordedRequest(row, undefined) })
    },
    expectRelease: (outcome) => expectRelease(state, outcome),
    replace(recount) {
      const done = lastDone.then(() => replaceMeters(state, recount))
      lastDone = done.catch(() => undefined)
      return done
    },
    lastJobs: () => state.snapshots.lastJobs(),
  }
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

function metersFor(claims: readonly Claim[], { meters }: State): Meters {
  if (meters !== undefined) return meters
  if (claims.length === 0) return openMeters()
  throw new Fault(
    "ledger_unavailable",
    "What is used of the limits hasn't been counted yet; wait until the start is over.",
  )
}

function expectRelease(
  state: State,
  { id, record }: Pick<OutcomeRow, "id" | "record">,
): ExpectedRelease {
  const atMs = state.steady.now()
  const meanwhileThen = state.meanwhile
  const expected: UnheardOutcome = { record, outcome: id }
  state.expected.add(expected)
  return {
    atMs,
    heard(row) {
      state.expected.delete(expected)
      if (row === undefined) return
      const request = recordedRequest(row, undefined)
      state.meters?.release((row.refunds ?? []).map(readRefund), request.countedAtMs, atMs)
      state.snapshots.note(1)
      state.snapshots.takeIfDue()
      // A replacement that began later reads of it in history.
      if (meanwhileThen !== state.meanwhile) return
      state.meanwhile?.push({ kind: "released", request, atMs })
    },
  }
}

async function replaceMeters(state: State, recount: Recount): Promise<void> {
  const meanwhile: MeterEvent[] = []
  state.meanwhile = meanwhile
  let counted: Counted
  try {
    counted = await countRecorded(state.queue, recount)
    // From here on nothing is awaited, so that each request is counted exactly once.
    for (const event of meanwhile) followEvent(counted.meters, recount.build, event)
  } finally {
    state.meanwhile = undefined
  }
  const { meters, sinceSnapshot } = counted
  // Since the last start the clock may have been set back: time goes on from what was counted last.
  if (meters.highWaterMs() > state.steady.now()) state.steady.at(meters.highWaterMs())
  state.meters = meters
  state.countedBy = recount.countedBy
  recount.exchanged?.()
  if (sinceSnapshot === undefined) state.snapshots.take()
  else state.snapshots.note(sinceSnapshot + meanwhile.length)
}

function onWall(room: Headroom, shiftMs: number): Headroom {
  const { freesAtMs } = room
  return { ...room, freesAtMs: freesAtMs === undefined ? undefined : freesAtMs + shiftMs }
}
