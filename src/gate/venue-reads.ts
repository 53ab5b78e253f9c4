import { fetchRead } from "./fetch-read.ts"
import type { Problem } from "./problem.ts"
import { readAsk } from "./read-ask.ts"
import type { Answer } from "./route.ts"
import { streamPages, type StreamDependencies } from "./stream-pages.ts"

/**
 * Makes `GET /v1/…`. Reads and streams are bounded by themselves, so that with a slow venue or slow bots enough
 * connections stay free for what is signed.
 */
export function venueReads(deps: StreamDependencies): Answer {
  const { maxReads, maxStreams } = deps.limits
  const atWork = { reads: 0, streams: 0 }
  return async (request, response) => {
    const read = readAsk(request)
    if (!read.ok) return { kind: "problem", problem: read.error }
    const { ask, isWhole } = read.value
    if (atWork.reads >= maxReads || (isWhole && atWork.streams >= maxStreams)) {
      return { kind: "problem", problem: overloaded }
    }
    const left = new AbortController()
    response.once("close", () => left.abort())
    const way = { response, signal: left.signal }
    atWork.reads += 1
    if (isWhole) atWork.streams += 1
    try {
      return isWhole ? await streamPages(deps, ask, way) : await fetchRead(deps, ask, way.signal)
    } finally {
      atWork.reads -= 1
      if (isWhole) atWork.streams -= 1
    }
  }
}

const overloaded: Problem = {
  code: "overloaded",
  message: "Too many reads are at work; try again in a moment.",
}
