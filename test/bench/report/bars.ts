import type { Result } from "../run-case.ts"
import { alignedLines, shown } from "./table.ts"

/** What this project wants to reach. */
export type Bar = {
  readonly case: string
  readonly what: string
  readonly kind: "at most" | "at least"
  readonly limit: number
  /** `undefined` when something that it needs isn't measured on this machine. */
  readonly measured: (median: Median) => number | undefined
}

/** A figure's median in the bar's case, by subject and figure. */
type Median = (subject: string, figure: string) => number | undefined

export const bars: readonly Bar[] = [
  {
    case: "sign-http",
    what: "sign, 1 connection: p50, by that of viem in process",
    ...{ kind: "at most", limit: 1 },
    measured: (median) =>
      ratio(median("sign, 1 conn", "p50 ms"), median("viem, in process", "p50 ms")),
  },
  {
    case: "sign-http",
    what: "sign, 16 connections: requests/s, by those of anvil",
    ...{ kind: "at least", limit: 0.4 },
    measured: (median) => ratio(median("sign, 16 conn", "/s"), median("anvil, 16 conn", "/s")),
  },
  {
    case: "sign-http",
    what: "batches of 50: signatures/s, by anvil's requests/s",
    ...{ kind: "at least", limit: 0.8 },
    measured: (median) =>
      ratio(median("batches of 50, 4 conn", "/s"), median("anvil, 16 conn", "/s")),
  },
  {
    case: "steady",
    what: "sign at half of the peak rate: p99, by p50",
    ...{ kind: "at most", limit: 10 },
    measured: (median) => median("sign, half of peak", "p99/p50"),
  },
  {
    case: "start",
    what: "start with 10 keys under a credential, seconds",
    ...{ kind: "at most", limit: 0.5 },
    measured: (median) => ratio(median("credential", "ready ms"), 1_000),
  },
  {
    case: "start",
    what: "start with 10 keys under a passphrase, seconds",
    ...{ kind: "at most", limit: 2.5 },
    measured: (median) => ratio(median("passphrase", "ready ms"), 1_000),
  },
  {
    case: "memory",
    what: "memory of both processes after the signatures, MiB",
    ...{ kind: "at most", limit: 190.7 }, // 200 MB
    measured: (median) => median("gate and vault", "after MiB"),
  },
  {
    case: "memory",
    what: "memory after all signatures, by that halfway",
    ...{ kind: "at most", limit: 1.1 },
    measured: (median) =>
      ratio(median("gate and vault", "after MiB"), median("gate and vault", "halfway MiB")),
  },
  {
    case: "rules",
    what: "100 rules: requests/s, by those of 10",
    ...{ kind: "at least", limit: 0.8 },
    measured: (median) => ratio(median("100 rules", "/s"), median("10 rules", "/s")),
  },
  {
    case: "records",
    what: "large ledger: requests/s, by those of an empty one",
    ...{ kind: "at least", limit: 0.9 },
    measured: (median) => ratio(median("large ledger", "/s"), median("empty ledger", "/s")),
  },
  {
    case: "console",
    what: "a console open: requests/s, by those without",
    ...{ kind: "at least", limit: 0.95 },
    measured: (median) => ratio(median("console open", "/s"), median("no console", "/s")),
  },
]

/** Lines that hold each bar of the cases that ran against what was measured. */
export function barLines(results: readonly Result[]): readonly string[] {
  const ran = bars.filter((bar) => results.some((result) => result.case === bar.case))
  const rows = ran.map((bar) => {
    const inCase = results.filter((result) => result.case === bar.case)
    const median: Median = (subject, figure) =>
      inCase.find((result) => result.subject === subject)?.figures[figure]?.median
    return rowOf(bar, bar.measured(median))
  })
  return rows.length === 0 ? [] : alignedLines([["", "bar", "measured", "reached"], ...rows])
}

function rowOf({ what, kind, limit }: Bar, measured: number | undefined): readonly string[] {
  const bar = `${kind === "at most" ? "≤" : "≥"} ${limit}`
  if (measured === undefined) return [what, bar, "not here", ""]
  const isReached = kind === "at most" ? measured <= limit : measured >= limit
  return [what, bar, shown(measured), isReached ? "yes" : "no"]
}

function ratio(value: number | undefined, by: number | undefined): number | undefined {
  return value === undefined || by === undefined ? undefined : value / by
}
