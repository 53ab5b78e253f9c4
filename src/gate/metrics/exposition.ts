import type { BotLink } from "../../link/client.ts"
import type { HistogramFamily, MetricFamily } from "../../link/views/metrics.ts"
import { refusedByVault } from "../http/problem.ts"
import type { Reply } from "../http/reply.ts"
import type { GateMetrics } from "./gate-metrics.ts"

/** Prometheus' text format, version 0.0.4. */
const expositionType = "text/plain; version=0.0.4; charset=utf-8"

/** Writes metrics as Prometheus reads them. Families of one name are one metric. */
export function exposition(families: readonly MetricFamily[]): string {
  const byName = new Map<string, MetricFamily[]>()
  for (const family of families) {
    byName.set(family.name, [...(byName.get(family.name) ?? []), family])
  }
  return [...byName.values()].flatMap(linesOf).join("")
}

/** A metric without series isn't there. */
function linesOf(families: readonly MetricFamily[]): readonly string[] {
  const [first] = families
  if (first === undefined || families.every(({ series }) => series.length === 0)) return []
  const { name, help, type } = first
  return [
    `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}\n`,
    `# TYPE ${name} ${type}\n`,
    ...families.flatMap(samplesOf),
  ]
}

function samplesOf(family: MetricFamily): readonly string[] {
  if (family.type === "histogram") return histogramSamples(family)
  const { name, labels, series } = family
  return series.map(([values, value]) => sample(name, labelled(labels, values), value))
}

/** Buckets are cumulative there. */
function histogramSamples({ name, labels, bounds, series }: HistogramFamily): readonly string[] {
  return series.flatMap(([values, { counts, sum }]) => {
    const own = labelled(labels, values)
    let total = 0
    const buckets = counts.map((count, index) => {
      total += count
      const bound = bounds[index]
      const le = `le="${bound === undefined ? "+Inf" : String(bound)}"`
      return sample(`${name}_bucket`, [...own, le], total)
    })
    return [...buckets, sample(`${name}_sum`, own, sum), sample(`${name}_count`, own, total)]
  })
}

function labelled(labels: readonly string[], values: readonly string[]): readonly string[] {
  return labels.map((label, index) => `${label}="${escaped(values[index] ?? "")}"`)
}

function sample(name: string, labels: readonly string[], value: number): string {
  const braced = labels.length === 0 ? "" : `{${labels.join(",")}}`
  return `${name}${braced} ${value}\n`
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")
}

/** `/metrics`: what vault and gate count of themselves, for a client with that right. */
export async function showMetrics(
  { link, metrics }: { readonly link: BotLink; readonly metrics: GateMetrics },
  token: string,
): Promise<Reply> {
  const counted = await link.call("metrics", { token })
  if (counted.kind === "refused") {
    return { kind: "problem", problem: refusedByVault(counted.refusal, counted.record) }
  }
  const text = exposition([...metrics.families(), ...counted.families])
  return { kind: "text", type: expositionType, text }
}
