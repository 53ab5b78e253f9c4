import type { LoopDelay } from "../std/time/event-loop-delay.ts"
import type { Histogram, Observed } from "../std/histogram.ts"

type Named = {
  /** `countersign_…`, with its unit. */
  readonly name: string
  readonly help: string
  /** The names of its labels; each series gives their values in this order. */
  readonly labels: readonly string[]
}

/** A number that only rises, or one that goes up and down. */
export type NumberFamily = Named & {
  readonly type: "counter" | "gauge"
  readonly series: readonly (readonly [values: readonly string[], value: number])[]
}

export type HistogramFamily = Named & {
  readonly type: "histogram"
  /** Those of its buckets, without the last, which has none. */
  readonly bounds: readonly number[]
  readonly series: readonly (readonly [values: readonly string[], observed: Observed])[]
}

/** A metric with all its series, as plain data. */
export type MetricFamily = NumberFamily | HistogramFamily

/** A histogram without labels. */
export function familyOf(
  histogram: Histogram,
  named: { readonly name: string; readonly help: string },
): HistogramFamily {
  const series = [[[], histogram.read()]] as const
  return { ...named, type: "histogram", labels: [], bounds: histogram.bounds, series }
}

/** What gate and vault each tell of themselves; together they make one metric of each name. */
export function ownFamilies(
  part: "gate" | "vault",
  { version, delay }: { readonly version: string; readonly delay: LoopDelay },
): readonly MetricFamily[] {
  const delayed = "By how much what was due had to wait"
  const values = [
    [
      "event_loop_delay_mean_seconds",
      `${delayed}, on average of the last 15 s.`,
      delay.meanSeconds,
    ],
    ["event_loop_delay_p99_seconds", `${delayed}, all but the worst hundredth.`, delay.p99Seconds],
    ["event_loop_delay_max_seconds", `${delayed} at worst.`, delay.maxSeconds],
    ["memory_resident_bytes", "Memory that the process holds.", process.memoryUsage.rss()],
  ] as const
  return [
    {
      name: "countersign_build_info",
      help: "The program and the Node that each part runs on.",
      type: "gauge",
      labels: ["part", "version", "node"],
      series: [[[part, version, process.versions.node], 1]],
    },
    ...values.map(([name, help, value]): MetricFamily => ({
      name: `countersign_${name}`,
      help,
      type: "gauge",
      labels: ["part"],
      series: [[[part], value]],
    })),
  ]
}
