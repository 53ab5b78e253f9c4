import { until } from "./process-tree.ts"

/** When signatures came, and from which host. */
export type Signings = {
  note(host: string): void
  /** How many came from there. */
  count(host: string): number
  /** Resolves once one more comes from there. */
  next(host: string): Promise<void>
  /** The longest time within a span in which none came but from `without`. */
  silence(span: { readonly fromMs: number; readonly toMs: number }, without?: string): number
}

/** Starts with none. */
export function keepSignings(): Signings {
  const kept: { readonly host: string; readonly ms: number }[] = []
  const counts = new Map<string, number>()
  return {
    note(host) {
      kept.push({ host, ms: performance.now() })
      counts.set(host, (counts.get(host) ?? 0) + 1)
    },
    count: (host) => counts.get(host) ?? 0,
    async next(host) {
      const before = counts.get(host)
      const more = (): true | undefined => (counts.get(host) === before ? undefined : true)
      await until(more, `host ${host} signs`)
    },
    silence({ fromMs, toMs }, without) {
      const within = kept.filter(({ host, ms }) => host !== without && ms > fromMs && ms < toMs)
      const times = [fromMs, ...within.map(({ ms }) => ms), toMs]
      return Math.max(...times.slice(1).map((ms, index) => ms - (times[index] ?? ms)))
    },
  }
}
