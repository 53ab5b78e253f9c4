// What a run of killed hosts prints.

import assert from "node:assert/strict"
import type { TestContext } from "node:test"

import type { LoadCounts, Repeated } from "./crash-load.ts"
import { fleetEvents } from "./fleet-events.ts"
import type { Silence } from "./fleet-silence.ts"
import type { CheckedLedger, OutsideChecker } from "./outside-checker.ts"

export type CheckedFleet = CheckedLedger & { readonly batches: number; readonly tables: number }

type Ran = LoadCounts &
  CheckedFleet &
  Repeated & {
    readonly caps: number
    readonly checker: OutsideChecker
    readonly silences: readonly Silence[]
  }

export function tellRun(t: TestContext, ran: Ran): void {
  const { requests, repeats, lost, refusals, records, withoutSignature } = ran
  const lines = [
    `${ran.silences.length} events`,
    `${requests} requests, ${lost} of them without an answer, ${repeats} repeats`,
    `${ran.checker.signatures()} signatures, ${records} records, ${withoutSignature} of them without a signature`,
    `${ran.isolated} of them cancels of hosts that couldn't reach PostgreSQL`,
    `${ran.same} repeats on any host with the same bytes, ${ran.expired} expired`,
    `${ran.spentSymbols} of ${ran.caps} caps reached exactly, none passed`,
    `${ran.mostInMinute} at most for an address in a minute`,
    `${ran.batches} batches chained and sealed; ${ran.tables} tables the same on all hosts, one of which was made anew`,
    `refusals: ${told(refusals)}`,
  ]
  for (const each of lines) t.diagnostic(each)
}

/** What is told of each by itself. */
const toldMs = 1_000
/** What is promised where nothing but a host is lost, three times. */
const longestMs = 3 * 2_000

/** Prints a line for each kind of event, and each silence above a second with what explains it. */
export function tellSilences(t: TestContext, silences: readonly Silence[]): void {
  const kinds = Object.entries(Object.groupBy(silences, ({ event }) => event))
  t.diagnostic(
    columns("silence of the others, ms", [
      "times",
      "first p50",
      "p50",
      "p99",
      "max",
      "above 1 s",
      "all, p50",
    ]),
  )
  for (const [event, all = []] of kinds) {
    const silent = percentiles(all.map(({ ms }) => ms))
    const until = percentiles(all.map(({ untilAllMs }) => untilAllMs))
    const first = percentiles(all.map(({ firstMs }) => firstMs))
    const long = all.filter(({ ms }) => ms > toldMs).length
    t.diagnostic(
      columns(event, [
        all.length,
        first(0.5),
        silent(0.5),
        silent(0.99),
        silent(1),
        long,
        until(0.5),
      ]),
    )
  }
  for (const silence of silences.filter(({ ms }) => ms > toldMs)) {
    t.diagnostic(`${Math.round(silence.ms)} ms: ${silence.what}: ${whyOf(silence)}`)
  }
  for (const { event, ms, what } of silences) {
    if (!("why" in fleetEvents[event])) assert.ok(ms <= longestMs, `${ms} ms after ${what}`)
  }
}

function whyOf({ event, atMs, backMs }: Silence): string {
  const kind = fleetEvents[event]
  const why = "why" in kind ? kind.why : "not explained"
  return backMs === undefined ? why : `${why}, ${Math.round(backMs - atMs)} ms`
}

/** By the part of `all` that is no more, rounded. */
export function percentiles(all: readonly number[]): (part: number) => number {
  const sorted = all.toSorted((one, other) => one - other)
  return (part) => Math.round(sorted[Math.ceil(part * sorted.length) - 1] ?? 0)
}

/** A line of a table. */
export function columns(first: string, rest: readonly (string | number | undefined)[]): string {
  return first.padEnd(26) + rest.map((each) => String(each).padStart(10)).join("")
}

export function told(counts: ReadonlyMap<string, number>): string {
  const sorted = [...counts].sort(([one], [other]) => (one < other ? -1 : 1))
  return sorted.map(([name, count]) => `${name} ${count}`).join(", ")
}
