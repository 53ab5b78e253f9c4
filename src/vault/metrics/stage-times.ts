import type { HistogramFamily } from "../../link/metrics.ts"
import { openHistogram, workBoundsSeconds } from "../../std/histogram.ts"

/** What a request goes through here; `record` is from judging until its record is durable, whatever is done meanwhile. */
export const signStages = ["parse", "judge", "record", "sign"] as const
export type SignStage = (typeof signStages)[number]

/** How long requests were in each stage. */
export type StageTimes = {
  /** A stage begins that ends within the same turn. */
  begin(): void
  /** The stage since the last `begin` or end is over; the next begins. Tells the time, in milliseconds. */
  end(stage: SignStage): number
  /** The same of a stage that began at `startedMs` and gave way meanwhile. */
  endSince(stage: SignStage, startedMs: number): void
  /** How many lasted how long, by the bounds of {@link workBoundsSeconds}. */
  counts(stage: SignStage): readonly number[]
  family(): HistogramFamily
}

/** Starts with nothing timed. No request is told apart: within a turn there is but one. */
export function timeStages(): StageTimes {
  const histograms = {
    parse: openHistogram(workBoundsSeconds),
    judge: openHistogram(workBoundsSeconds),
    record: openHistogram(workBoundsSeconds),
    sign: openHistogram(workBoundsSeconds),
  } satisfies Record<SignStage, unknown>
  let beganMs = 0
  const endSince = (stage: SignStage, startedMs: number): number => {
    const nowMs = performance.now()
    histograms[stage].observe((nowMs - startedMs) / 1_000)
    return (beganMs = nowMs)
  }
  return {
    begin() {
      beganMs = performance.now()
    },
    end: (stage) => endSince(stage, beganMs),
    endSince: (stage, startedMs) => void endSince(stage, startedMs),
    counts: (stage) => histograms[stage].read().counts,
    family: () => ({
      name: "countersign_sign_stage_duration_seconds",
      help: "Time that requests to sign spent in each stage of the vault.",
      type: "histogram",
      labels: ["stage"],
      bounds: workBoundsSeconds,
      series: signStages.map((stage) => [[stage], histograms[stage].read()]),
    }),
  }
}
