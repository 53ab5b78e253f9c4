import { Fault } from "../../std/fault.ts"
import type { Clock } from "../clock.ts"
import type { Claim } from "../policy/claim.ts"
import { readRefund } from "./claim-fields.ts"
import type { CommitQueue } from "./commit-queue.ts"
import { foldHistory, followEvent, type BuildClaims, type MeterEvent } from "./fold-meters.ts"
import { readForCounting } from "./history.ts"
import { openMeters, type Asked, type Headroom, type Meters, type MeterUse } from "./meters.ts"
import { recordedRequest } from "./recorded-request.ts"
import type { RequestRow } from "./row.ts"
import { openSteadyTime, type SteadyTime } from "./steady-time.ts"

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
  /** To be called in the turn in which an outcome is queued, and `give` once it gives room back. */
  expectRelease(): { readonly atMs: number; give(request: RequestRow): void }
  /** As the ledger's `replaceMeters`. */
  replace(build: BuildClaims, sinceMs: number, exchanged?: () => void): Promise<void>
}

type State = {
  readonly queue: CommitQueue
  readonly steady: SteadyTime
  meters: Meters | undefined
  /** What happens while other meters are being made. */
  meanwhile: MeterEvent[] | undefined
}

/** Starts without meters: until the first are made, no claim can be asked for. */
export function openLimits(queue: CommitQueue, clock: Clock): Limits {
  const steady = openSteadyTime(clock, clock.nowMs())
  const state: State = { queue, steady, meters: undefined, meanwhile: undefined }
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
      state.meters?.count(claims, row.counted_at ?? row.at_ms)
      state.meanwhile?.push({ kind: "counted", request: recordedRequest(row, undefined) })
    },
    expectRelease: () => expectRelease(state),
    replace(build, sinceMs, exchanged) {
      const done = lastDone.then(() => replaceMeters(state, { build, sinceMs, exchanged }))
      lastDone = done.catch(() => undefined)
      return done
    },
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

function expectRelease(state: State): ReturnType<Limits["expectRelease"]> {
  const atMs = state.steady.now()
  const meanwhileThen = state.meanwhile
  return {
    atMs,
    give(row) {
      const request = recordedRequest(row, undefined)
      state.meters?.release((row.refunds ?? []).map(readRefund), request.countedAtMs, atMs)
      // A replacement that began later reads of it in history.
      if (meanwhileThen !== state.meanwhile) return
      state.meanwhile?.push({ kind: "released", request, atMs })
    },
  }
}

async function replaceMeters(
  state: State,
  ask: {
    readonly build: BuildClaims
    readonly sinceMs: number
    readonly exchanged: (() => void) | undefined
  },
): Promise<void> {
  const next = openMeters()
  const meanwhile: MeterEvent[] = []
  state.meanwhile = meanwhile
  try {
    await foldHistory(next, ask.build, readForCounting(state.queue, ask.sinceMs))
    // From here on nothing is awaited, so that each request is counted exactly once.
    for (const event of meanwhile) followEvent(next, ask.build, event)
  } finally {
    state.meanwhile = undefined
  }
  // Since the last start the clock may have been set back: time goes on from what was counted last.
  if (next.highWaterMs() > state.steady.now()) state.steady.at(next.highWaterMs())
  state.meters = next
  ask.exchanged?.()
}

function onWall(room: Headroom, shiftMs: number): Headroom {
  const { freesAtMs } = room
  return { ...room, freesAtMs: freesAtMs === undefined ? undefined : freesAtMs + shiftMs }
}
