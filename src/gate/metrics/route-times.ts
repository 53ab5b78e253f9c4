import type { MetricFamily } from "../../link/metrics.ts"
import { openHistogram, waitBoundsSeconds, type Histogram } from "../../std/histogram.ts"
import type { Answer, Route } from "../route.ts"

type Answered = Awaited<ReturnType<Answer>>

/** How calls were answered, and how long those of each route took. */
export type RouteTimes = {
  /** Of a route: what was said, or how it ended without. */
  answered(route: Pick<Route, "method" | "path">, answered: Answered, startedMs: number): void
  /** A call was refused before any route was looked for, or for want of one. */
  refused(code: string): void
  families(): readonly MetricFamily[]
}

type Codes = Map<string, { count: number }>
type Told = {
  /** Method and path as the route has them, never as they were asked for. */
  readonly labels: readonly [method: string, path: string]
  readonly seconds: Histogram
  readonly codes: Codes
}

/** Starts with nothing answered. */
export function timeRoutes(): RouteTimes {
  const byRoute = new Map<string, Told>()
  const elsewhere: Codes = new Map()
  return {
    answered({ method, path }, answered, startedMs) {
      const { seconds, codes } = toldOf(byRoute, method, path)
      seconds.observe((performance.now() - startedMs) / 1_000)
      count(codes, codeOf(answered))
    },
    refused: (code) => count(elsewhere, code),
    families: () => familiesOf([...byRoute.values()], elsewhere),
  }
}

/** A word of ours: the venue's own codes are as many as it likes. */
function codeOf(answered: Answered): string {
  if (answered === "gone") return answered
  // What streams is read from the venue.
  if (answered === "written") return "venue"
  if (answered.kind === "problem") return answered.problem.code
  return answered.kind === "venue" ? "venue" : "ok"
}

function toldOf(byRoute: Map<string, Told>, method: string, path: string): Told {
  const name = `${method} ${path}`
  const known = byRoute.get(name)
  if (known !== undefined) return known
  const seconds = openHistogram(waitBoundsSeconds)
  const made: Told = { labels: [method, path], seconds, codes: new Map() }
  byRoute.set(name, made)
  return made
}

function count(codes: Codes, code: string): void {
  const known = codes.get(code)
  if (known === undefined) codes.set(code, { count: 1 })
  else known.count += 1
}

function familiesOf(all: readonly Told[], elsewhere: Codes): readonly MetricFamily[] {
  const counted = [...all, { labels: ["", ""], codes: elsewhere }]
  return [
    {
      name: "countersign_http_requests_total",
      help: "Calls by the code of their answer: a refusal's, ok, venue for the venue's own answer, gone for nobody left to answer.",
      type: "counter",
      labels: ["method", "route", "code"],
      series: counted.flatMap(({ labels, codes }) =>
        [...codes].map(([code, { count }]) => [[...labels, code], count] as const),
      ),
    },
    {
      name: "countersign_http_request_duration_seconds",
      help: "Time from a call's headers until its answer was ready.",
      type: "histogram",
      labels: ["method", "route"],
      bounds: waitBoundsSeconds,
      series: all.map(({ labels, seconds }) => [labels, seconds.read()]),
    },
  ]
}
