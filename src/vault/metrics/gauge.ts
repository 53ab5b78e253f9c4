import type { NumberFamily } from "../../link/views/metrics.ts"

/** At most so many series of one metric whose labels are an operator's names. */
export const maxNamedSeries = 100

/** One number as it stands now; none where it isn't known. */
export function gauge(name: string, help: string, value: number | undefined): NumberFamily {
  const series = value === undefined ? [] : ([[[], value]] as const)
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
