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
