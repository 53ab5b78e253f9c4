import type { IncomingMessage } from "node:http"

import { err, ok, type Result } from "../../std/result.ts"
import { parseToken, tokenProblem } from "../http/admit.ts"
import { invalidHeader, type Problem } from "../http/problem.ts"
import {
  type Answer,
  maxPathLength,
  parseKey,
  parseTraceparent,
  unknownEndpoint,
} from "../http/read-call.ts"
import { openPlaces, type OwnerOf } from "../http/shares.ts"
import { isPlainPath, isQuery } from "../upstream/upstream.ts"
import { fetchRead, type ReadAsk } from "./fetch-read.ts"
import { type StreamDependencies, streamPages } from "./stream-pages.ts"

/**
 * Makes `GET /v1/…`. Reads and streams are bounded by themselves, so that with a slow venue or slow bots enough
 * connections stay free for what is signed.
 */
export function venueReads(deps: StreamDependencies & { readonly ownerOf: OwnerOf }): Answer {
  const reads = openPlaces(deps.limits.maxReads)
  const streams = openPlaces(deps.limits.maxStreams)
  return async (request, response) => {
    const read = parseReadAsk(request)
    if (!read.ok) return { kind: "problem", problem: read.error }
    const { ask, isWhole } = read.value
    const leave = (isWhole ? streams : reads).take(deps.ownerOf(ask.token))
    if (leave === undefined) return { kind: "problem", problem: overloaded }
    const left = new AbortController()
    response.once("close", () => left.abort())
    const way = { response, signal: left.signal }
    try {
      return isWhole ? await streamPages(deps, ask, way) : await fetchRead(deps, ask, way.signal)
    } finally {
      leave()
    }
  }
}

const overloaded: Problem = {
  code: "overloaded",
  message: "Too many reads are at work; try again in a moment.",
}

/** Parses a `GET /v1/…`. `isWhole`: the bot wants all pages, and what asks for that isn't in the query any more. */
function parseReadAsk(
  request: IncomingMessage,
): Result<{ readonly ask: ReadAsk; readonly isWhole: boolean }, Problem> {
  const token = parseToken(request)
  if (token === undefined) return err(tokenProblem(request))
  const target = parseTarget(request)
  if (!target.ok) return target
  const key = parseKey(request)
  if (!key.ok) return key
  const { isWhole, ...place } = target.value
  const ask = { token, ...place, key: key.value, traceparent: parseTraceparent(request) }
  return ok({ ask, isWhole })
}

function parseTarget({
  url = "",
  httpVersion,
}: IncomingMessage): Result<
  Pick<ReadAsk, "path" | "query"> & { readonly isWhole: boolean },
  Problem
> {
  const [sent = "", ...rest] = url.split("?")
  // A parameter of docs/openapi.json stands for many segments; clients made of it encode what is between them.
  const path = sent.replaceAll(/%2f/gi, "/")
  if (path.length > maxPathLength || !isPlainPath(path)) return err(unknownEndpoint(path))
  const written = rest.join("?")
  if (!isQuery(written)) return err(strangeQuery)
  const parts = written.split("&")
  const isWhole = parts.includes(wholeList)
  // Only 1.1 has chunks (RFC 9112 §7.1), by which a client sees that a part isn't the whole.
  if (isWhole && httpVersion !== "1.1") return err(tooOld)
  return ok({ path, query: parts.filter((part) => part !== wholeList).join("&"), isWhole })
}

/** What asks for all pages. It is ours, so the venue doesn't see it. */
const wholeList = "all=true"

const strangeQuery = invalidHeader(
  "request-target",
  "The query may have at most 2,048 characters, visible ASCII without quotes, # and backslash; percent-encode others.",
)
const tooOld = invalidHeader("request-target", `${wholeList} needs HTTP/1.1.`)
