import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"

import express, { type Express, type Request, type Response } from "express"

import { admit, admitMethod, admitOwnHeaders, livenessPath, parseToken } from "./http/admit.ts"
import type { GateMetrics } from "./http/metrics.ts"
import { problemOf, type Problem } from "./http/problem.ts"
import { parseTraceparent, unknownEndpoint, type RouteWithAnswer } from "./http/read-call.ts"
import { httpAnswer, sendAnswer, type Reply } from "./http/reply.ts"
import { openPlaces, reducesRisk, type Connections } from "./http/shares.ts"
import { errorFields } from "./process/log.ts"
import { routes, type RouteDependencies } from "./routes.ts"
import type { LiveSettings } from "./settings.ts"
import { isPaperToken, paperVenue } from "./upstream/venues.ts"

type AppDependencies = Omit<RouteDependencies, "track" | "upstream" | "paper"> & {
  /** Those of now; while there are none, every call is answered 503. */
  readonly settings: Pick<LiveSettings, "current">
  readonly connections: Pick<Connections, "open" | "belongs">
  /** Whether every request has its line of log, and not only those that failed. */
  readonly logsRequests: boolean
}

export type App = {
  readonly serve: RequestListener
  /** Resolves when nothing is at work. */
  idle(): Promise<void>
}

/**
 * The gate's HTTP interface: what is done for each request. Express is asked only for what is admitted: it takes a target
 * apart before any of its handlers runs, and has an answer of its own to what it can't read. What bots ask all day goes
 * past it, which costs more than it.
 */
export function createApp(deps: AppDependencies): App {
  let atWork = 0
  let tellIdle: (() => void)[] = []
  const left = (): void => {
    atWork -= 1
    if (atWork > 0) return
    for (const tell of tellIdle) tell()
    tellIdle = []
  }
  const track = (work: Promise<unknown>): void => {
    atWork += 1
    work.then(left, left)
  }
  return {
    serve: createListener({
      ...deps,
      track,
      upstream: () => deps.settings.current?.upstream,
      paper: paperVenue(deps.link),
    }),
    idle: () =>
      atWork === 0 ? Promise.resolve() : new Promise((resolve) => void tellIdle.push(resolve)),
  }
}

type Dependencies = AppDependencies & RouteDependencies

function createListener(deps: Dependencies): RequestListener {
  const serve = openServe(deps)
  const paths = byPath(routes(deps))
  const app = createExpress(paths, serve)
  const plainPaths = [...paths.keys()].filter((path) => !/[*:]/.test(path))
  return (request, response) => {
    if (!deps.connections.open(request, response)) return
    if (isPaperToken(parseToken(request))) response.setHeader("Countersign-Paper", "true")
    const fail = failure(deps, response)
    try {
      const hosts = deps.settings.current?.hosts(request.socket.localPort)
      const problem = admit(request, hosts, deps.limits)
      const ofPath = paths.get(directPath(request.url) ?? "")
      if (problem !== undefined) refuse(deps, response, problem)
      else if (ofPath !== undefined) serve(request, response, ofPath).catch(fail)
      // Express makes them what it calls Request and Response.
      else app(request as Request, response as Response, unserved(deps, response, plainPaths))
    } catch (error) {
      fail(error)
    }
  }
}

/** The path of the table for a plain path of the venue's, and for any id. All others are Express's to take apart. */
function directPath(url = ""): string | undefined {
  if (/^\/records\/[^/?#]+$/.test(url)) return "/records/:id"
  if (!/^(?:\/sign)?\/v1(?:\/[A-Za-z0-9_-]+)+$/.test(url)) return undefined
  return url.startsWith("/sign") ? "/sign/v1/*path" : "/v1/*path"
}

/** Express, which parses no query and no body, and whose parts of a path nobody reads. */
function createExpress(paths: ReadonlyMap<string, PathRoutes>, serve: Serve): Express {
  const app = express()
  app.disable("x-powered-by").disable("etag").disable("query parser")
  app.enable("case sensitive routing").enable("strict routing")
  for (const [path, ofPath] of paths) {
    app.all(path, (request: Request, response: Response) => serve(request, response, ofPath))
  }
  return app
}

function byPath(all: readonly RouteWithAnswer[]): ReadonlyMap<string, PathRoutes> {
  const paths = new Map<string, PathRoutes>()
  for (const route of all) {
    const others = paths.get(route.path)
    paths.set(route.path, others === undefined ? [route] : [...others, route])
  }
  return paths
}

/** Answers what no route of Express's did: there is none, or something of ours failed. */
function unserved(
  deps: Dependencies,
  response: ServerResponse,
  plainPaths: readonly string[],
): (error?: unknown) => void {
  return (error) => {
    // Express decodes a path to match it; what it can't decode is no path of ours.
    if (error === undefined || error instanceof URIError) {
      refuse(deps, response, unknownEndpoint(response.req.url ?? "", plainPaths))
    } else failure(deps, response)(error)
  }
}

/** Of what is known to go wrong, such as a vault that is away, bots are told, and the log has it once. */
function logFlaw({ log }: Dependencies, error: unknown, where: { readonly route?: string }): void {
  if (problemOf(error).code !== "internal") return
  log({ level: "error", event: "failed", ...where, ...errorFields(error) })
}

/** Answers what went wrong. */
function failure(deps: Dependencies, response: ServerResponse): (error: unknown) => void {
  return (error) => {
    logFlaw(deps, error, {})
    if (response.headersSent) response.destroy()
    else refuse(deps, response, problemOf(error))
  }
}

/** The routes of one path, each of a method of its own. */
type PathRoutes = readonly [RouteWithAnswer, ...RouteWithAnswer[]]

/** Serves a request by a route of its path, and writes the answer. */
type Serve = (
  request: IncomingMessage,
  response: ServerResponse,
  ofPath: PathRoutes,
) => Promise<void>

/** Makes what serves those who have a place for it. */
function openServe(deps: Dependencies): Serve {
  const takePlace = placesFor(deps)
  return async (request, response, ofPath) => {
    const route = ofPath.find(({ method }) => method === request.method) ?? ofPath[0]
    const startedMs = performance.now()
    const leave = takePlace(request)
    if (leave === undefined) {
      refuse(deps, response, overloaded)
      return
    }
    deps.metrics.atWork(1)
    const problem = admitMethod(request, ofPath) ?? admitOwnHeaders(request, route.ownHeaders)
    const work = replyTo(deps, { request, response, route, problem })
    deps.track(work)
    const reply = await work.finally(leave)
    deps.metrics.atWork(-1)
    deps.metrics.answered(route, reply, startedMs)
    if (reply === "gone") {
      response.destroy()
      return
    }
    const status = send(response, reply)
    if (status >= 500 || deps.logsRequests)
      logAnswered(deps, { request, route, reply, status, startedMs })
  }
}

/** The bound on all that is at work. Whether the gate is alive anyone may ask at any time. */
function placesFor({
  connections,
  limits: { maxInFlight, maxReducing },
  ownerOf,
}: Dependencies): (request: IncomingMessage) => (() => void) | undefined {
  const ordinary = openPlaces(maxInFlight)
  const reducing = openPlaces(maxReducing)
  return (request) => {
    const { socket, url = "" } = request
    if (url === livenessPath) return () => undefined
    const owner = ownerOf(parseToken(request))
    connections.belongs(socket, owner)
    return (reducesRisk(url) ? reducing : ordinary).take(owner)
  }
}

function send(response: ServerResponse, reply: Reply | "written"): number {
  if (reply === "written") return response.statusCode
  const http = httpAnswer(reply)
  sendAnswer(response, http)
  return http.status
}

type Answered = Pick<Served, "request" | "route"> & {
  readonly reply: Reply | "written"
  readonly status: number
  readonly startedMs: number
}

function logAnswered(
  { log }: Dependencies,
  { request, route, reply, status, startedMs }: Answered,
): void {
  log({
    level: status < 500 ? "debug" : "warn",
    event: "request",
    method: route.method,
    route: route.path,
    status,
    ...loggedOf(reply),
    ...traceOf(request),
    ms: Math.round(performance.now() - startedMs),
  })
}

function traceOf(request: IncomingMessage): { readonly trace?: string } {
  const [, trace] = parseTraceparent(request)?.split("-") ?? []
  return trace === undefined ? {} : { trace }
}

function loggedOf(reply: Reply | "written"): { readonly code?: string; readonly record?: string } {
  if (reply === "written") return {}
  const { code, record } =
    reply.kind === "problem" ? reply.problem : { code: undefined, record: reply.record }
  return { ...(code !== undefined && { code }), ...(record !== undefined && { record }) }
}

type Served = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly route: RouteWithAnswer
  readonly problem: Problem | undefined
}

async function replyTo(
  deps: Dependencies,
  { request, response, route, problem }: Served,
): Promise<Reply | "gone" | "written"> {
  if (problem !== undefined) return { kind: "problem", problem }
  try {
    return await route.answer(request, response)
  } catch (error) {
    logFlaw(deps, error, { route: route.path })
    return response.headersSent ? "gone" : { kind: "problem", problem: problemOf(error) }
  }
}

const overloaded: Problem = {
  code: "overloaded",
  message: "Too many requests are at work; try again in a moment.",
}

/** Answers what no route was found for, or what none can take now. */
function refuse(
  { metrics }: { readonly metrics: Pick<GateMetrics, "refused"> },
  response: ServerResponse,
  problem: Problem,
): void {
  metrics.refused(problem.code)
  sendAnswer(response, httpAnswer({ kind: "problem", problem }))
}
