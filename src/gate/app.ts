import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"

import express, { type Express, type NextFunction, type Request, type Response } from "express"
import helmet from "helmet"

import {
  admit,
  admitMethod,
  admitOwnHeaders,
  callHeaders,
  idempotencyHeader,
  livenessPath,
  shadowHeader,
} from "./admit.ts"
import {
  check,
  feedPrices,
  findRecords,
  freeze,
  heartbeat,
  readiness,
  showLimits,
  showRecord,
  sign,
  whoami,
} from "./bot-calls.ts"
import { forward, type ForwardDependencies } from "./forward.ts"
import type { GateLimits } from "./gate-limits.ts"
import { errorFields } from "./log.ts"
import { problemOf, type Problem } from "./problem.ts"
import { unknownEndpoint } from "./read-call.ts"
import { httpAnswer, sendAnswer, type Reply } from "./reply.ts"
import {
  get,
  post,
  withBody,
  withCall,
  withToken,
  type Answer,
  type Route,
  type RouteWithAnswer,
} from "./route.ts"
import { batchSigner } from "./sign-batch.ts"

export type AppDependencies = ForwardDependencies & {
  readonly limits: GateLimits
  /** The values of `Host` that mean this gate on `socket`; `undefined` until the settings are known. */
  readonly hosts: (socket: Socket) => ReadonlySet<string> | undefined
}

/** We serve no pages: nothing may load or frame what we answer. TLS, where there is any, isn't ours. */
const pagelessHeaders = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  strictTransportSecurity: false,
}

/** The gate's HTTP interface. Every route is here, and each belongs to one method. */
export function createApp(deps: AppDependencies): Express {
  const app = express()
  app.disable("etag").enable("case sensitive routing").enable("strict routing")
  app.use(helmet(pagelessHeaders))
  app.use(admitAll(deps))

  const serve = createServe(deps)
  for (const { answer, ...route } of routes(deps)) {
    app.all(route.path, serve(route, answer))
  }
  app.use((request: Request, response: Response) =>
    refuse(response, unknownEndpoint(request.originalUrl)),
  )
  app.use(createErrorAnswer(deps))
  return app
}

/** Every route there is. */
function routes(deps: AppDependencies): readonly RouteWithAnswer[] {
  return [...requestRoutes(deps), ...rightRoutes(deps), ...readRoutes(deps)]
}

/** What a bot wants signed. */
function requestRoutes(deps: AppDependencies): readonly RouteWithAnswer[] {
  const { limits } = deps
  return [
    post(
      "/v1/*path",
      [...callHeaders, idempotencyHeader],
      withCall(limits, "", (call) => forward(deps, call)),
    ),
    post(
      "/sign/v1/*path",
      [...callHeaders, idempotencyHeader],
      withCall(limits, "/sign", (call) => sign(deps, call)),
    ),
    post("/sign/batch", [], withBody(deps, batchSigner(limits.maxBatches))),
    post(
      "/check/v1/*path",
      [...callHeaders, shadowHeader],
      withCall(limits, "/check", ({ ask }) => check(deps, ask)),
    ),
  ]
}

/** What a client has to have the right to. */
function rightRoutes(deps: AppDependencies): readonly RouteWithAnswer[] {
  return [
    post("/freeze", [], withBody(deps, freeze)),
    post("/heartbeat", [], withBody(deps, heartbeat)),
    post("/prices", [], withBody(deps, feedPrices)),
  ]
}

function readRoutes(deps: AppDependencies): readonly RouteWithAnswer[] {
  return [
    get(
      "/whoami",
      withToken((token) => whoami(deps, token)),
    ),
    get(
      "/records",
      withToken((token, url) => findRecords(deps, token, url.slice(8))),
    ),
    get(
      "/records/:id",
      withToken((token, url) => showRecord(deps, token, url.slice(9))),
    ),
    get(
      "/limits",
      withToken((token) => showLimits(deps, token)),
    ),
    get("/healthz", () => Promise.resolve({ kind: "success", content: { state: "running" } })),
    get("/readyz", () => readiness(deps)),
  ]
}

/** What holds for every request, known path or not. */
function admitAll({ hosts, limits }: AppDependencies) {
  return (request: IncomingMessage, response: Response, next: NextFunction): void => {
    const problem = admit(request, hosts(request.socket), limits)
    if (problem === undefined) next()
    else refuse(response, problem)
  }
}

function createServe(deps: AppDependencies) {
  let inFlight = 0
  return (route: Route, answer: Answer) =>
    async (request: Request, response: Response): Promise<void> => {
      const startedMs = performance.now()
      if (inFlight >= deps.limits.maxInFlight && route.path !== livenessPath) {
        refuse(response, overloaded)
        return
      }
      inFlight += 1
      const work = replyTo(deps, route, { request, answer })
      deps.track(work)
      const reply = await work.finally(() => (inFlight -= 1))
      if (reply === "gone") {
        response.destroy()
        return
      }
      const http = httpAnswer(reply)
      sendAnswer(response, http)
      deps.log({
        level: http.status < 500 ? "debug" : "warn",
        event: "request",
        method: route.method,
        route: route.path,
        status: http.status,
        ...loggedOf(reply),
        ms: Math.round(performance.now() - startedMs),
      })
    }
}

function loggedOf(reply: Reply): { readonly code?: string; readonly record?: string } {
  const { code, record } =
    reply.kind === "problem" ? reply.problem : { code: undefined, record: reply.record }
  return { ...(code !== undefined && { code }), ...(record !== undefined && { record }) }
}

async function replyTo(
  deps: AppDependencies,
  route: Route,
  call: { readonly request: Request; readonly answer: Answer },
): Promise<Reply | "gone"> {
  const { request, answer } = call
  const problem = admitMethod(request, route.method) ?? admitOwnHeaders(request, route.ownHeaders)
  if (problem !== undefined) return { kind: "problem", problem }
  try {
    return await answer(request)
  } catch (error) {
    deps.log({ level: "error", event: "failed", route: route.path, ...errorFields(error) })
    return { kind: "problem", problem: problemOf(error) }
  }
}

function createErrorAnswer(deps: AppDependencies) {
  // eslint-disable-next-line max-params -- Express knows an error's taker by its four parameters
  return (error: unknown, request: Request, response: Response, next: NextFunction): void => {
    if (response.headersSent) {
      next(error)
      return
    }
    // Express decodes paths to match them; what it can't decode is no path of ours.
    const isStrangePath = error instanceof URIError
    if (!isStrangePath) deps.log({ level: "error", event: "failed", ...errorFields(error) })
    refuse(response, isStrangePath ? unknownEndpoint(request.originalUrl) : problemOf(error))
  }
}

function refuse(response: Response, problem: Problem): void {
  sendAnswer(response, httpAnswer({ kind: "problem", problem }))
}

const overloaded: Problem = {
  code: "overloaded",
  message: "Too many requests are at work; try again in a moment.",
}
