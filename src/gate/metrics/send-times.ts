import type { MetricFamily } from "../../link/metrics.ts"
import type { Outcome } from "../../link/outcome.ts"
import { openHistogram, waitBoundsSeconds } from "../../std/histogram.ts"

/** What requests that are forwarded wait for. */
export const sendStages = ["vault", "venue"] as const
export type SendStage = (typeof sendStages)[number]

/** What is known of a request that was sent, or wasn't. */
export const sendOutcomes = ["accepted", "refused", "unknown", "unsent"] as const
type SendOutcome = (typeof sendOutcomes)[number]

/** What became of signed requests, and how long vault and venue took over them. */
export type SendTimes = {
  /** A stage that began at `startedMs` is over. */
  waited(stage: SendStage, startedMs: number): void
  /** A request is over, by what was told of it last. */
  sent(outcome: Outcome, record: string): void
  families(): readonly MetricFamily[]
}

/** Starts with nothing sent. */
export function timeSends(): SendTimes {
  const seconds = {
    vault: openHistogram(waitBoundsSeconds),
    venue: openHistogram(waitBoundsSeconds),
  } satisfies Record<SendStage, unknown>
  const counts = { accepted: 0, refused: 0, unknown: 0, unsent: 0 } satisfies Record<
    SendOutcome,
    number
  >
  return {
    waited: (stage, startedMs) => seconds[stage].observe((performance.now() - startedMs) / 1_000),
    sent(outcome) {
      const known = knownOf(outcome)
      if (known !== undefined) counts[known] += 1
    },
    families: () => [
      {
        name: "countersign_upstream_requests_total",
        help: "Signed requests that the gate was to send to the venue, by what is known of them.",
        type: "counter",
        labels: ["outcome"],
        series: sendOutcomes.map((outcome) => [[outcome], counts[outcome]]),
      },
      {
        name: "countersign_request_stage_duration_seconds",
        help: "Time that requests waited for the vault's signature and for the venue's answer.",
        type: "histogram",
        labels: ["stage"],
        bounds: waitBoundsSeconds,
        series: sendStages.map((stage) => [[stage], seconds[stage].read()]),
      },
    ],
  }
}

/** Refused when it was sent again proves nothing of the first time; that it is on its way is no end. */
export function knownOf(outcome: Outcome): SendOutcome | undefined {
  if (outcome.kind === "refused" && outcome.again === true) return "unknown"
  return outcome.kind === "sent" ? undefined : outcome.kind
}
