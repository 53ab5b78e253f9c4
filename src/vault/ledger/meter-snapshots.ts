import type { Clock } from "../clock.ts"
import type { CommitQueue } from "./commit-queue.ts"
import type { MetersImage } from "./meters.ts"
import { writeImage, type SnapshotHead } from "./snapshot-text.ts"
import type { Job } from "./worker-messages.ts"

/** How many changes may wait for a snapshot: what a start after a crash has to fold. */
export const maxChanges = 5_000
/** How long a change may wait for one while others follow. */
export const maxAgeMs = 60_000

/** Keeps a recent snapshot of the meters in the ledger, so that a start needn't count all again. */
export type MeterSnapshots = {
  /** To be called when the meters hold `changes` more requests or releases. */
  note(changes: number): void
  /** Takes one if it is time. All that the meters hold must have been queued. */
  takeIfDue(): void
  /** Takes one now, whatever was begun before. All that the meters hold must have been queued. */
  take(): void
  /** The jobs that keep the last state, to be queued in this turn; none if it is kept already. */
  lastJobs(): readonly Job[]
}

/** The meters at this moment, and all but them that a snapshot says. */
export type Captured = { readonly head: SnapshotHead; readonly image: MetersImage }

/**
 * Captures by `capture`, which answers `undefined` as long as no snapshot can be made.
 *
 * What is captured never changes, so it is written bit by bit after the turn; the place in the journal that
 * it belongs to is taken in the turn itself.
 */
export function openMeterSnapshots(
  queue: CommitQueue,
  clock: Pick<Clock, "monotonicMs">,
  capture: () => Captured | undefined,
): MeterSnapshots {
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
    write(queue, captured, isCurrent).then(
      () => {
        if (isCurrent()) current = undefined
      },
      () => undefined, // the ledger is closed or broken, which every other call tells of
    )
  }

  return {
    note(more) {
      changes += more
    },
    takeIfDue() {
      if (changes === 0 || current !== undefined) return
      if (changes >= maxChanges || clock.monotonicMs() - takenAtMs >= maxAgeMs) take()
    },
    take,
    lastJobs() {
      const captured = changes > 0 || current !== undefined ? capture() : undefined
      current = undefined
      return captured === undefined ? [] : jobsOf(captured)
    },
  }
}

/** A later snapshot takes the place of one that isn't whole: what is left of it isn't written. */
async function write(
  queue: CommitQueue,
  { head, image }: Captured,
  isCurrent: () => boolean,
): Promise<void> {
  await queue.run({ kind: "meters_snapshot", step: { kind: "begin" } })
  for (const text of writeImage(image)) {
    if (!isCurrent()) return
    await queue.run({ kind: "meters_snapshot", step: { kind: "add", text } })
  }
  if (isCurrent()) await queue.run({ kind: "meters_snapshot", step: { kind: "end", head } })
}

function jobsOf({ head, image }: Captured): readonly Job[] {
  return [
    { kind: "meters_snapshot", step: { kind: "begin" } },
    ...writeImage(image).map((text): Job => ({
      kind: "meters_snapshot",
      step: { kind: "add", text },
    })),
    { kind: "meters_snapshot", step: { kind: "end", head } },
  ]
}
