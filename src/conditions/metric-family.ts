import type { OwnMeasures } from "../contract/facts.ts"
import type { Observed } from "../std/histogram.ts"

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
export function timing(
  named: { readonly name: string; readonly help: string },
  bounds: readonly number[],
  observed: Observed,
): HistogramFamily {
  return { ...named, type: "histogram", labels: [], bounds, series: [[[], observed]] }
}

/** One number as it stands now; none where it isn't known. */
export function gauge(name: string, help: string, value: number | null): NumberFamily {
  const series = value === null ? [] : ([[[], value]] as const)
  return { name, help, type: "gauge", labels: [], series }
}

/** Numbers as they stand now, by their labels. */
export function gauges(
  { name, help, labels }: Pick<NumberFamily, "name" | "help" | "labels">,
  series: NumberFamily["series"],
): NumberFamily {
  return { name, help, type: "gauge", labels, series }
}

/** Yes or no as Prometheus has it. */
export function flag(isSo: boolean): number {
  return isSo ? 1 : 0
}

/** What gate and vault each tell of themselves; together they make one metric of each name. */
export function ownFamilies(
  part: "gate" | "vault",
  { version, node, delay, resident_bytes }: OwnMeasures,
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
    ["memory_resident_bytes", "Memory that the process holds.", resident_bytes],
  ] as const
  return [
    {
      name: "countersign_build_info",
      help: "The program and the Node that each part runs on.",
      type: "gauge",
      labels: ["part", "version", "node"],
      series: [[[part, version, node], 1]],
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
