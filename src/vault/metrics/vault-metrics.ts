import { watchEventLoop, type LoopDelay } from "../../std/time/event-loop-delay.ts"
import { countDecisions, type DecisionCounts, timeStages, type StageTimes } from "./counts.ts"

/** What a vault counts of itself while it works. */
export type VaultMetrics = {
  readonly decisions: DecisionCounts
  readonly stages: StageTimes
  /** Watches from the first question on: who is never asked pays nothing. */
  readonly loopDelay: () => LoopDelay
}

/** Starts with nothing counted. */
export function openVaultMetrics(): VaultMetrics {
  let delay: (() => LoopDelay) | undefined
  return {
    decisions: countDecisions(),
    stages: timeStages(),
    loopDelay: () => (delay ??= watchEventLoop())(),
  }
}
