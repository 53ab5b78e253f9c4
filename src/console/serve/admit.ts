// What a request must be before anything is done for it. A function that returns an answer has refused it.

import type { IncomingMessage } from "node:http"

import { refused, type Refused } from "./reply.ts"

/** The values of `Host` that mean this server: loopback's names, with its port. */
export function ownHosts(port: number): ReadonlySet<string> {
  return new Set(["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}:${port}`))
}

/** Refuses another's name, to which somebody's DNS may point, and what a browser sends for another origin's page. */
export function admit(request: IncomingMessage, hosts: ReadonlySet<string>): Refused | undefined {
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
export function admitOwnPage(request: IncomingMessage): Refused | undefined {
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
