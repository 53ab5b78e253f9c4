import type { HistogramFamily } from "../../../link/views/metrics.ts"
import { openHistogram, workBoundsSeconds } from "../../../std/histogram.ts"

/** How long the ledger's commits took, and how much each carried. */
export type CommitTimes = {
  /** A batch that was handed over at `startedMs` is durable, with so many entries. One with none isn't counted. */
  note(startedMs: number, entries: number): void
  families(): readonly HistogramFamily[]
}

const entryBounds: readonly number[] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]

/** Starts with nothing timed. */
export function timeCommits(): CommitTimes {
  const seconds = openHistogram(workBoundsSeconds)
  const entries = openHistogram(entryBounds)
  return {
    note(startedMs, written) {
      if (written === 0) return
      seconds.observe((performance.now() - startedMs) / 1_000)
      entries.observe(written)
    },
    families: () => [
      {
        name: "countersign_ledger_commit_duration_seconds",
        help: "Time from handing a batch to the ledger's thread until it is durable.",
        type: "histogram",
        labels: [],
        bounds: seconds.bounds,
        series: [[[], seconds.read()]],
      },
      {
        name: "countersign_ledger_commit_entries",
        help: "Entries that shared a commit.",
        type: "histogram",
        labels: [],
        bounds: entries.bounds,
        series: [[[], entries.read()]],
      },
    ],
  }
}
