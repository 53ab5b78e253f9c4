import type { BotLink } from "../../contract/client.ts"
import { type Unanswered, unansweredSeconds } from "../../conditions/gate-alarms.ts"
import {
  type HistogramFamily,
  type MetricFamily,
  ownFamilies,
} from "../../conditions/metric-family.ts"
import { vaultFamilies } from "../../conditions/vault-families.ts"
import type { Outcome } from "../../link/calls/both-ways.ts"
import { openHistogram, waitBoundsSeconds } from "../../std/histogram.ts"
import { type LoopDelay, watchEventLoop } from "../../std/time/event-loop-delay.ts"
import { version } from "../../std/version.ts"
import type { Answer, Route } from "./read-call.ts"
import { refusedReply, type Reply } from "./reply.ts"

/** What a gate counts of itself while it works. Nothing that a bot sent is a label. */
export type GateMetrics = Omit<ReturnType<typeof timeRoutes>, "families"> &
  Omit<SendTimes, "families"> & {
    /** Calls at work rose or fell by so many. */
    atWork(change: 1 | -1): void
    families(): readonly MetricFamily[]
  }

/** Starts with nothing counted. `unanswered`: since when the venue has answered nothing, if so. */
export function openGateMetrics(
  unanswered: () => Unanswered | undefined = () => undefined,
): GateMetrics {
  const routes = timeRoutes()
  const sends = timeSends()
  let inFlight = 0
  let delay: (() => LoopDelay) | undefined
  return {
    ...routes,
    ...sends,
    atWork: (change) => void (inFlight += change),
    families() {
      // Watched from the first question on: who is never asked pays nothing.
      delay ??= watchEventLoop()
      return [
        ...routes.families(),
        {
          name: "countersign_http_requests_in_flight",
          help: "Calls at work.",
          type: "gauge",
          labels: [],
          series: [[[], inFlight]],
        },
        ...sends.families(),
        {
          name: "countersign_venue_unanswered_seconds",
          help: "For how long nothing that was tried at the venue was answered; 0 while it answers.",
          type: "gauge",
          labels: [],
          series: [[[], unansweredSeconds(unanswered(), Date.now())]],
        },
        ...ownFamilies("gate", {
          ...{ version, node: process.versions.node, delay: delay() },
          resident_bytes: process.memoryUsage.rss(),
        }),
      ]
    },
  }
}

type Answered = Awaited<ReturnType<Answer>>

/** How calls were answered, and how long those of each route took. */
type Codes = Map<string, { count: number }>
type Told = {
  /** Method and path as the route has them, never as they were asked for. */
  readonly labels: readonly [method: string, path: string]
  readonly seconds: ReturnType<typeof openHistogram>
  readonly codes: Codes
}

/** Starts with nothing answered. */
function timeRoutes() {
  const byRoute = new Map<string, Told>()
  const elsewhere: Codes = new Map()
  return {
    /** Of a route: what was said, or how it ended without. */
    answered(
      { method, path }: Pick<Route, "method" | "path">,
      answered: Answered,
      startedMs: number,
    ): void {
      const { seconds, codes } = toldOf(byRoute, method, path)
      seconds.observe((performance.now() - startedMs) / 1_000)
      count(codes, codeOf(answered))
    },
    /** A call was refused before any route was looked for, or for want of one. */
    refused: (code: string) => count(elsewhere, code),
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

/** What requests that are forwarded wait for. */
const sendStages = ["vault", "venue"] as const
type SendStage = (typeof sendStages)[number]

/** What is known of a request that was sent, or wasn't. */
export const sendOutcomes = ["accepted", "refused", "unknown", "unsent"] as const
type SendOutcome = (typeof sendOutcomes)[number]

/** What became of signed requests, and how long vault and venue took over them. */
type SendTimes = {
  /** A stage that began at `startedMs` is over. */
  waited(stage: SendStage, startedMs: number): void
  /** A request is over, by what was told of it last. */
  sent(outcome: Outcome, record: string): void
  families(): readonly MetricFamily[]
}

/** Starts with nothing sent. */
function timeSends(): SendTimes {
  const seconds = {
    vault: openHistogram(waitBoundsSeconds),
    venue: openHistogram(waitBoundsSeconds),
  } satisfies Record<SendStage, unknown>
  const counts: Record<SendOutcome, number> = { accepted: 0, refused: 0, unknown: 0, unsent: 0 }
  return {
    waited: (stage, startedMs) => seconds[stage].observe((performance.now() - startedMs) / 1_000),
    sent(outcome) {
      const known = knownOf(outcome)
      if (known !== undefined) counts[known] += 1
    },
    families: () => [
      {
        name: "countersign_upstream_requests_total",
        help: "Signed requests that the gate was to send to the venue, by what is known of them.",
        type: "counter",
        labels: ["outcome"],
        series: sendOutcomes.map((outcome) => [[outcome], counts[outcome]]),
      },
      {
        name: "countersign_request_stage_duration_seconds",
        help: "Time that requests waited for the vault's signature and for the venue's answer.",
        type: "histogram",
        labels: ["stage"],
        bounds: waitBoundsSeconds,
        series: sendStages.map((stage) => [[stage], seconds[stage].read()]),
      },
    ],
  }
}

/** Refused when it was sent again proves nothing of the first time; that it is on its way is no end. */
export function knownOf(outcome: Outcome): SendOutcome | undefined {
  if (outcome.kind === "refused" && outcome.again === true) return "unknown"
  return outcome.kind === "sent" ? undefined : outcome.kind
}

/** Prometheus' text format, version 0.0.4. */
const expositionType = "text/plain; version=0.0.4; charset=utf-8"

/** Writes metrics as Prometheus reads them. Families of one name are one metric. */
export function exposition(families: readonly MetricFamily[]): string {
  return [...Map.groupBy(families, ({ name }) => name).values()].flatMap(linesOf).join("")
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
  if (counted.kind === "refused") return refusedReply(counted)
  const text = exposition([...metrics.families(), ...vaultFamilies(counted.measures)])
  return { kind: "text", type: expositionType, text }
}
