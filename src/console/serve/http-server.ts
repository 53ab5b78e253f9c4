import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { Socket } from "node:net"

import helmet from "helmet"

import { Fault } from "../../std/fault.ts"
import { type Call, type ConsoleConnections, refused, type Refused, type Reply } from "./calls.ts"
import type { Assets } from "./read-assets.ts"

/** Browsers on one machine: whatever asks for more is no page of ours. */
const limits = {
  maxHeaderSize: 16_384,
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 1_000,
}
/** In the middle of a request or an answer; longer than the command waits for the vault. */
const silenceMs = 60_000

/** It is made of our own files alone, without a line of inline code, and only what lit-html makes becomes markup. */
const setHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      connectSrc: ["'self'"],
      imgSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
      requireTrustedTypesFor: ["'script'"],
      trustedTypes: ["lit-html"],
    },
  },
  strictTransportSecurity: false,
  xFrameOptions: { action: "deny" },
})

type Route = { readonly method: "GET" | "POST"; readonly answer: Call }
type Routes = ReadonlyMap<string, Route>

/** Serves the page and what it calls. */
export function consoleServer(
  assets: Assets,
  calls: ReadonlyMap<string, Call>,
  connections: ConsoleConnections,
): Server {
  const routes = routesOf(assets, calls)
  const server = createServer(limits, (request, response) => {
    setHeaders(request, response, () => undefined)
    replyTo(request, routes)
      .catch(failure)
      .then((reply) => send(response, reply))
      .catch(() => response.destroy())
  })
  server.on("connection", (socket: Socket) => connections.enter(socket, "strangers"))
  return server.setTimeout(silenceMs)
}

function routesOf({ page, files }: Assets, calls: ReadonlyMap<string, Call>): Routes {
  const gets = [["/", page] as const, ...files].map(([path, asset]) => {
    const answer = (): Promise<Reply> => Promise.resolve({ status: 200, ...asset })
    return [path, { method: "GET", answer }] as const
  })
  const posts = [...calls].map(([path, answer]) => [path, { method: "POST", answer }] as const)
  return new Map<string, Route>([...gets, ...posts])
}

async function replyTo(request: IncomingMessage, routes: Routes): Promise<Reply> {
  const port = request.socket.localPort ?? 0
  const problem = admit(request, ownHosts(port))
  if (problem !== undefined) return problem
  const route = routes.get(request.url ?? "")
  if (route === undefined) return refused(404, "There is nothing here.")
  const { method, answer } = route
  if (request.method !== method) return refused(405, `Use ${method} here.`, { Allow: method })
  const stranger = method === "POST" ? admitOwnPage(request) : undefined
  return stranger ?? (await answer(request, port))
}

/** The command's own word where it has one; else nothing is said of what went wrong. */
function failure(error: unknown): Reply {
  return error instanceof Fault
    ? refused(503, error.message)
    : refused(500, "The console failed at this; countersign status tells the same in a terminal.")
}

function send(response: ServerResponse, { status, type, text, headers }: Reply): void {
  response.writeHead(status, { ...headers, "Content-Type": type, "Cache-Control": "no-store" })
  response.end(text)
}

// What a request must be before anything is done for it. A function that returns an answer has refused it.

/** The values of `Host` that mean this server: loopback's names, with its port. */
function ownHosts(port: number): ReadonlySet<string> {
  return new Set(["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}:${port}`))
}

/** Refuses another's name, to which somebody's DNS may point, and what a browser sends for another origin's page. */
function admit(request: IncomingMessage, hosts: ReadonlySet<string>): Refused | undefined {
  const [host = "", ...others] = request.headersDistinct["host"] ?? []
  if (others.length > 0 || !hosts.has(host)) {
    return refused(421, "This Host isn't served here; use 127.0.0.1 with the port of the link.")
  }
  if (isOurOrigin(request, hosts) && (isFromHere(request) || isVisit(request))) return undefined
  return refused(403, "Web pages of other origins can't use this server.")
}

function isOurOrigin({ headersDistinct }: IncomingMessage, hosts: ReadonlySet<string>): boolean {
  const origins = headersDistinct["origin"] ?? []
  return origins.every((origin) => hosts.has(origin.replace(/^http:\/\//, "")))
}

function isFromHere(request: IncomingMessage): boolean {
  return sitesOf(request).every((site) => site === "same-origin" || site === "none")
}

/** Refuses what no browser said that our own page sends. An Origin that isn't ours has been refused before. */
function admitOwnPage(request: IncomingMessage): Refused | undefined {
  const isOurs = request.headers.origin !== undefined || sitesOf(request)[0] === "same-origin"
  return isOurs
    ? undefined
    : refused(403, "Only the console's page can call this; run countersign console to open it.")
}

function sitesOf(request: IncomingMessage): readonly string[] {
  return request.headersDistinct["sec-fetch-site"] ?? []
}

/** Somebody follows a link to the page, which opens in place of the page that it was on. */
function isVisit({ method, url, headers }: IncomingMessage): boolean {
  const isPage = method === "GET" && url === "/"
  return (
    isPage && headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document"
  )
}
