import type { Problem } from "../http/problem.ts"
import type { Answer } from "../http/read-call.ts"
import { openPlaces, type OwnerOf } from "../http/shares.ts"
import { fetchRead } from "./fetch-read.ts"
import { parseReadAsk } from "./parse-read-ask.ts"
import { streamPages, type StreamDependencies } from "./stream-pages.ts"

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
