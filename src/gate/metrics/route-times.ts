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
  /** How long calls took whose answer is a signature, or what the venue said to it. */
  signingTimes(): SigningTimes
}

/** `counts` has one more than `bounds`, which are seconds: each is of what took at most that long, the last of the rest. */
export type SigningTimes = {
  readonly bounds: readonly number[]
  readonly counts: readonly number[]
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
      count(codes, codeOf(answered, path))
    },
    refused: (code) => count(elsewhere, code),
    families: () => familiesOf([...byRoute.values()], elsewhere),
    signingTimes: () => signingTimes(byRoute),
  }
}

const signingRoutes = ["POST /v1/*path", "POST /sign/v1/*path", "POST /sign/batch"]

function signingTimes(byRoute: ReadonlyMap<string, Told>): SigningTimes {
  const counts = Array.from({ length: waitBoundsSeconds.length + 1 }, () => 0)
  for (const route of signingRoutes) {
    const ofRoute = byRoute.get(route)?.seconds.read().counts ?? []
    for (const [index, count] of ofRoute.entries()) counts[index] = (counts[index] ?? 0) + count
  }
  return { bounds: waitBoundsSeconds, counts }
}

/** A word of ours: the venue's own codes are as many as it likes. */
function codeOf(answered: Answered, path: string): string {
  if (answered === "gone") return answered
  // What streams is read from the venue, but for the console's events.
  if (answered === "written") return path.startsWith("/console/") ? "ok" : "venue"
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
