import type { Problem } from "../http/problem.ts"
import type { Answer } from "../http/read-call.ts"
import type { GateLimits } from "../process/gate-limits.ts"
import { fetchRead } from "./fetch-read.ts"
import { readAsk } from "./read-ask.ts"
import { streamPages, type StreamDependencies } from "./stream-pages.ts"

/**
 * Makes `GET /v1/…`. Reads and streams are bounded by themselves, so that with a slow venue or slow bots enough
 * connections stay free for what is signed.
 */
export function venueReads(deps: StreamDependencies): Answer {
  const places = openReadPlaces(deps.limits)
  return async (request, response) => {
    const read = readAsk(request)
    if (!read.ok) return { kind: "problem", problem: read.error }
    const { ask, isWhole } = read.value
    const leave = places.take(ask.token, isWhole)
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

/** Room for the reads that are at work. */
export type ReadPlaces = {
  /** Takes a place for a read, or for a stream of all pages; what it gives gives it back. `undefined` when there is none. */
  take(token: string, isStream: boolean): (() => void) | undefined
}

/** Starts with nobody at work. Streams last as long as their bots like, so no token can have all of them. */
export function openReadPlaces({
  maxReads,
  maxStreams,
  maxStreamsOfOne,
}: Pick<GateLimits, "maxReads" | "maxStreams" | "maxStreamsOfOne">): ReadPlaces {
  const streams: string[] = []
  let reads = 0
  const hasRoom = (token: string, isStream: boolean): boolean => {
    if (reads >= maxReads) return false
    if (!isStream) return true
    const ofOne = streams.filter((each) => each === token).length
    return streams.length < maxStreams && ofOne < maxStreamsOfOne
  }
  return {
    take(token, isStream) {
      if (!hasRoom(token, isStream)) return undefined
      reads += 1
      if (isStream) streams.push(token)
      return () => {
        reads -= 1
        if (isStream) streams.splice(streams.indexOf(token), 1)
      }
    },
  }
}
