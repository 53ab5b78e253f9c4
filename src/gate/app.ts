import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import type { Socket } from "node:net"

import express, { type Express, type Request, type Response } from "express"
import helmet from "helmet"

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
import { admit, callHeaders, idempotencyHeader, keyHeader, shadowHeader } from "./http/admit.ts"
import { contract } from "./http/contract.ts"
import { problemOf } from "./http/problem.ts"
import { unknownEndpoint } from "./http/read-call.ts"
import { get, post, withBody, withCall, withToken, type RouteWithAnswer } from "./http/route.ts"
import { showMetrics } from "./metrics/exposition.ts"
import type { GateLimits } from "./process/gate-limits.ts"
import { errorFields } from "./process/log.ts"
import { venueReads } from "./reads/venue-reads.ts"
import { refuse, openServe, type PathRoutes, type Serve } from "./serve-route.ts"
import { forward, type ForwardDependencies } from "./sign/forward.ts"
import { batchSigner } from "./sign/sign-batch.ts"

export type AppDependencies = ForwardDependencies & {
  readonly limits: GateLimits
  /** The values of `Host` that mean this gate on `socket`; `undefined` until the settings are known. */
  readonly hosts: (socket: Socket) => ReadonlySet<string> | undefined
}

/** Bots are served no pages: nothing may load or frame what we answer. TLS, where there is any, isn't ours. */
const pagelessHeaders = {
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  strictTransportSecurity: false,
}

/**
 * The gate's HTTP interface. Every route is here. Express is asked only for what is admitted: it takes a target apart
 * before any of its handlers runs, and has an answer of its own to what it can't read. What bots ask all day goes past
 * it, which costs more than it.
 */
export function createApp(deps: AppDependencies): RequestListener {
  const serve = openServe(deps)
  const paths = byPath(routes(deps))
  const setHeaders = helmet(pagelessHeaders)
  const app = createExpress(paths, serve)
  return (request, response) => {
    const fail = failure(deps, response)
    try {
      setHeaders(request, response, () => undefined)
      const problem = admit(request, deps.hosts(request.socket), deps.limits)
      const ofPath = paths.get(directPath(request.url) ?? "")
      if (problem !== undefined) refuse(deps, response, problem)
      else if (ofPath !== undefined) serve(request, response, ofPath).catch(fail)
      // Express makes them what it calls Request and Response.
      else app(request as Request, response as Response, unserved(deps, request, response))
    } catch (error) {
      fail(error)
    }
  }
}

/** The path of the table for a plain path of the venue's. All others are Express's to take apart. */
function directPath(url = ""): string | undefined {
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

/** Every route there is. */
function routes(deps: AppDependencies): readonly RouteWithAnswer[] {
  const signHeaders = [...callHeaders, idempotencyHeader]
  const checkHeaders = [...callHeaders, shadowHeader]
  return [
    post("/v1/*path", signHeaders, withCall(deps, "", forward)),
    get("/v1/*path", venueReads(deps), [keyHeader]),
    post("/sign/v1/*path", signHeaders, withCall(deps, "/sign", sign)),
    post("/sign/batch", [], withBody(deps, batchSigner(deps.limits.maxBatches))),
    post("/check/v1/*path", checkHeaders, withCall(deps, "/check", check)),
    // What a client has to have the right to.
    post("/freeze", [], withBody(deps, freeze)),
    post("/heartbeat", [], withBody(deps, heartbeat)),
    post("/prices", [], withBody(deps, feedPrices)),
    get("/metrics", withToken(deps, showMetrics)),
    // What it may do, and has done.
    get("/whoami", withToken(deps, whoami)),
    get("/limits", withToken(deps, showLimits)),
    get("/records", withToken(deps, findRecords)),
    get("/records/:id", withToken(deps, showRecord)),
    // Without a token.
    get("/healthz", () => Promise.resolve({ kind: "success", content: { state: "running" } })),
    get("/readyz", () => readiness(deps)),
    get("/openapi.json", () => Promise.resolve(contract)),
  ]
}

/** Answers what no route of Express's did: there is none, or something of ours failed. */
function unserved(
  deps: AppDependencies,
  request: IncomingMessage,
  response: ServerResponse,
): (error?: unknown) => void {
  return (error) => {
    // Express decodes a path to match it; what it can't decode is no path of ours.
    if (error === undefined || error instanceof URIError) {
      refuse(deps, response, unknownEndpoint(request.url ?? ""))
    } else failure(deps, response)(error)
  }
}

/** Answers a flaw of ours. */
function failure(deps: AppDependencies, response: ServerResponse): (error: unknown) => void {
  return (error) => {
    deps.log({ level: "error", event: "failed", ...errorFields(error) })
    if (response.headersSent) response.destroy()
    else refuse(deps, response, problemOf(error))
  }
}
