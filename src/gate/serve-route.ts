import type { IncomingMessage, ServerResponse } from "node:http"

import { admitMethod, admitOwnHeaders, livenessPath } from "./http/admit.ts"
import { problemOf, type Problem } from "./http/problem.ts"
import { readTraceparent } from "./http/read-call.ts"
import { httpAnswer, sendAnswer, type Reply } from "./http/reply.ts"
import type { RouteWithAnswer } from "./http/route.ts"
import type { GateMetrics } from "./metrics/gate-metrics.ts"
import type { GateLimits } from "./process/gate-limits.ts"
import { errorFields } from "./process/log.ts"
import type { ForwardDependencies } from "./sign/forward.ts"

export type ServeDependencies = Pick<ForwardDependencies, "log" | "metrics" | "track"> & {
  readonly limits: GateLimits
}

/** The routes of one path, each of a method of its own. */
export type PathRoutes = readonly [RouteWithAnswer, ...RouteWithAnswer[]]

/** Serves a request by a route of its path, and writes the answer. */
export type Serve = (
  request: IncomingMessage,
  response: ServerResponse,
  ofPath: PathRoutes,
) => Promise<void>

/** Makes what serves, with a bound on all that is at work. */
export function openServe(deps: ServeDependencies): Serve {
  let inFlight = 0
  return async (request, response, ofPath) => {
    const route = ofPath.find(({ method }) => method === request.method) ?? ofPath[0]
    const startedMs = performance.now()
    if (inFlight >= deps.limits.maxInFlight && route.path !== livenessPath) {
      refuse(deps, response, overloaded)
      return
    }
    inFlight += 1
    deps.metrics.atWork(1)
    const problem = admitMethod(request, ofPath) ?? admitOwnHeaders(request, route.ownHeaders)
    const work = replyTo(deps, { request, response, route, problem })
    deps.track(work)
    const reply = await work.finally(() => (inFlight -= 1))
    deps.metrics.atWork(-1)
    deps.metrics.answered(route, reply, startedMs)
    if (reply === "gone") {
      response.destroy()
      return
    }
    const status = send(response, reply)
    deps.log({
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
}

function send(response: ServerResponse, reply: Reply | "written"): number {
  if (reply === "written") return response.statusCode
  const http = httpAnswer(reply)
  sendAnswer(response, http)
  return http.status
}

function traceOf(request: IncomingMessage): { readonly trace?: string } {
  const [, trace] = readTraceparent(request)?.split("-") ?? []
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
  deps: ServeDependencies,
  { request, response, route, problem }: Served,
): Promise<Reply | "gone" | "written"> {
  if (problem !== undefined) return { kind: "problem", problem }
  try {
    return await route.answer(request, response)
  } catch (error) {
    deps.log({ level: "error", event: "failed", route: route.path, ...errorFields(error) })
    if (response.headersSent) return "gone"
    return { kind: "problem", problem: problemOf(error) }
  }
}

const overloaded: Problem = {
  code: "overloaded",
  message: "Too many requests are at work; try again in a moment.",
}

/** Answers what no route was found for, or what none can take now. */
export function refuse(
  { metrics }: { readonly metrics: Pick<GateMetrics, "refused"> },
  response: ServerResponse,
  problem: Problem,
): void {
  metrics.refused(problem.code)
  sendAnswer(response, httpAnswer({ kind: "problem", problem }))
}
