import type { Result } from "../run-case.ts"
import { medianOf } from "./quantiles.ts"
import { alignedLines, shown } from "./table.ts"

/** What this project wants to reach. */
export type Bar = {
  readonly case: string
  readonly what: string
  readonly kind: "at most" | "at least"
  readonly limit: number
  /** Of one round; `undefined` when something that it needs isn't measured on this machine. */
  readonly measured: (round: Round) => number | undefined
}

/** A figure of a round of the bar's case, by subject and figure. */
type Round = (subject: string, figure: string) => number | undefined

export const bars: readonly Bar[] = [
  ...(["p50", "p99"] as const).map((point): Bar => ({
    case: "pace",
    what: `sign, 20/s, state in memory: ${point}, by viem's at the same pace`,
    ...{ kind: "at most", limit: point === "p50" ? 1.7 : 2.5 },
    measured: (round) =>
      ratio(
        round("20/s sign, memory", `${point} ms`),
        round("20/s viem, in process", `${point} ms`),
      ),
  })),
  {
    case: "pace",
    what: "sign, 20/s, state in memory, kept warm: p50, by viem's at the same pace",
    ...{ kind: "at most", limit: 1.7 },
    measured: (round) =>
      ratio(
        round("20/s sign, memory, kept warm", "p50 ms"),
        round("20/s viem, in process", "p50 ms"),
      ),
  },
  {
    case: "pace",
    what: "sign, 20/s, state on disk: p50 less one flush, by viem's",
    ...{ kind: "at most", limit: 2 },
    measured: (round) =>
      ratio(
        more(round("20/s sign, disk", "p50 ms"), round("20/s one flush", "p50 ms")),
        round("20/s viem, in process", "p50 ms"),
      ),
  },
  {
    case: "pace",
    what: "forward, 20/s, state in memory: p50, by that of the same without sending",
    ...{ kind: "at most", limit: 1.5 },
    measured: (round) =>
      ratio(round("20/s forward, memory", "p50 ms"), round("20/s sign, memory", "p50 ms")),
  },
  {
    case: "pace",
    what: "sign, 20/s, state in memory: processor time of a signature, µs",
    ...{ kind: "at most", limit: 1_200 },
    measured: (round) => round("20/s sign, memory", "cpu µs"),
  },
  {
    case: "sign-http",
    what: "sign, 1 connection: p50, by that of viem in process",
    ...{ kind: "at most", limit: 1.7 },
    measured: (round) =>
      ratio(round("sign, 1 conn", "p50 ms"), round("viem, in process", "p50 ms")),
  },
  {
    case: "sign-http",
    what: "sign, 1 connection: p50, by that of the honest minimum",
    ...{ kind: "at most", limit: 2 },
    measured: (round) =>
      ratio(round("sign, 1 conn", "p50 ms"), round("honest minimum, 1 conn", "p50 ms")),
  },
  {
    case: "sign-http",
    what: "sign, 1 connection: p50, by that of ssh-agent",
    ...{ kind: "at most", limit: 1.8 },
    measured: (round) => ratio(round("sign, 1 conn", "p50 ms"), round("ssh-agent", "p50 ms")),
  },
  {
    case: "sign-http",
    what: "sign, 16 connections: requests/s, by those of anvil",
    ...{ kind: "at least", limit: 0.33 },
    measured: (round) => ratio(round("sign, 16 conn", "/s"), round("anvil, 16 conn", "/s")),
  },
  {
    case: "sign-http",
    what: "sign, 16 connections: requests/s, by those of the honest minimum",
    ...{ kind: "at least", limit: 0.6 },
    measured: (round) =>
      ratio(round("sign, 16 conn", "/s"), round("honest minimum, 16 conn", "/s")),
  },
  {
    case: "sign-http",
    what: "sign, 16 connections: processor time of a signature, µs",
    ...{ kind: "at most", limit: 240 },
    measured: (round) => round("sign, 16 conn", "cpu µs"),
  },
  {
    case: "sign-http",
    what: "batches of 50: signatures/s, by anvil's requests/s",
    ...{ kind: "at least", limit: 0.45 },
    measured: (round) => ratio(round("batches of 50, 4 conn", "/s"), round("anvil, 16 conn", "/s")),
  },
  {
    case: "forward",
    what: "forward, 1 connection: p50, by that of the same without sending",
    ...{ kind: "at most", limit: 1.5 },
    measured: (round) => ratio(round("forward, 1 conn", "p50 ms"), round("sign, 1 conn", "p50 ms")),
  },
  {
    case: "steady",
    what: "sign at half of the peak rate: p99, by p50",
    ...{ kind: "at most", limit: 6 },
    measured: (round) => round("sign, half of peak", "p99/p50"),
  },
  {
    case: "start",
    what: "start with 10 keys under a credential, seconds",
    ...{ kind: "at most", limit: 0.45 },
    measured: (round) => ratio(round("credential", "ready ms"), 1_000),
  },
  {
    case: "start",
    what: "start with 10 keys under a passphrase, seconds",
    ...{ kind: "at most", limit: 2.5 },
    measured: (round) => ratio(round("passphrase", "ready ms"), 1_000),
  },
  {
    case: "memory",
    what: "memory of both processes after the signatures, MiB",
    ...{ kind: "at most", limit: 320 },
    measured: (round) => round("gate and vault", "after MiB"),
  },
  {
    case: "memory",
    what: "memory in the last tenth of the signatures, by that in the first",
    ...{ kind: "at most", limit: 1.05 },
    measured: (round) =>
      ratio(round("gate and vault", "last tenth MiB"), round("gate and vault", "first tenth MiB")),
  },
  {
    case: "rules",
    what: "100 rules: requests/s, by those of 10",
    ...{ kind: "at least", limit: 0.8 },
    measured: (round) => ratio(round("100 rules", "/s"), round("10 rules", "/s")),
  },
  {
    case: "records",
    what: "large ledger: requests/s, by those of an empty one",
    ...{ kind: "at least", limit: 0.95 },
    measured: (round) => ratio(round("large ledger", "/s"), round("empty ledger", "/s")),
  },
  {
    case: "console",
    what: "a console open: requests/s, by those without",
    ...{ kind: "at least", limit: 0.95 },
    measured: (round) => ratio(round("page open", "/s"), round("no page", "/s")),
  },
  ...[
    { name: "fleet-alone", who: "one host" },
    { name: "fleet", who: "one of three" },
  ].flatMap(({ name, who }): readonly Bar[] => [
    {
      case: name,
      what: `${who} on PostgreSQL, 1 connection: p50, by that with a ledger here`,
      ...{ kind: "at most", limit: 2.5 },
      measured: (round) =>
        ratio(round(`${who}, 1 conn`, "p50 ms"), round("here, 1 conn", "p50 ms")),
    },
    {
      case: name,
      what: `${who} on PostgreSQL, 16 connections: requests/s, by those with a ledger here`,
      ...{ kind: "at least", limit: 0.6 },
      measured: (round) => ratio(round(`${who}, 16 conn`, "/s"), round("here, 16 conn", "/s")),
    },
  ]),
  {
    case: "fleet",
    what: "three hosts, 16 connections each: requests/s together",
    ...{ kind: "at least", limit: 1_000 },
    measured: (round) => round("three hosts, 16 conn each", "/s"),
  },
  {
    case: "fleet",
    what: "three hosts, 16 connections each: p99 of the slowest, ms",
    ...{ kind: "at most", limit: 100 },
    measured: (round) => round("three hosts, 16 conn each", "p99 ms"),
  },
  {
    case: "fleet-steady",
    what: "three hosts, 13/s each: p50, by that of 40/s with a ledger here",
    ...{ kind: "at most", limit: 3 },
    measured: (round) =>
      ratio(round("three hosts, 13/s each", "p50 ms"), round("here, 40/s", "p50 ms")),
  },
  {
    case: "fleet-steady",
    what: "three hosts, 13/s each: p99, ms",
    ...{ kind: "at most", limit: 25 },
    measured: (round) => round("three hosts, 13/s each", "p99 ms"),
  },
  {
    case: "fleet-start",
    what: "start with a large ledger on PostgreSQL: seconds more than with it here",
    ...{ kind: "at most", limit: 2 },
    measured: (round) =>
      ratio(more(round("one host", "ready ms"), round("here", "ready ms")), 1_000),
  },
]

/**
 * Lines that hold each bar of the cases that ran against what was measured: the median of what each round gave, for what
 * the machine does besides changes from one round to the next, and less within one.
 */
export function barLines(results: readonly Result[]): readonly string[] {
  const ran = bars.filter((bar) => results.some((result) => result.case === bar.case))
  const rows = ran.map((bar) => {
    const inCase = results.filter((result) => result.case === bar.case)
    return rowOf(bar, measuredOf(bar, inCase))
  })
  return rows.length === 0 ? [] : alignedLines([["", "bar", "measured", "reached"], ...rows])
}

function measuredOf({ measured }: Bar, inCase: readonly Result[]): number | undefined {
  const spreads = inCase.flatMap(({ figures }) => Object.values(figures))
  const count = Math.max(...spreads.map(({ rounds }) => rounds.length))
  const values = Array.from({ length: count }, (_, index) =>
    measured(
      (subject, figure) =>
        inCase.find((result) => result.subject === subject)?.figures[figure]?.rounds[index],
    ),
  ).filter((value) => value !== undefined)
  return values.length === 0 ? undefined : medianOf(values)
}

function rowOf({ what, kind, limit }: Bar, measured: number | undefined): readonly string[] {
  const bar = `${kind === "at most" ? "≤" : "≥"} ${limit}`
  if (measured === undefined) return [what, bar, "not here", ""]
  const isReached = kind === "at most" ? measured <= limit : measured >= limit
  return [what, bar, shown(measured), isReached ? "yes" : "no"]
}

function more(value: number | undefined, than: number | undefined): number | undefined {
  return value === undefined || than === undefined ? undefined : value - than
}

function ratio(value: number | undefined, by: number | undefined): number | undefined {
  return value === undefined || by === undefined ? undefined : value / by
}
