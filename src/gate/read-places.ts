import type { GateLimits } from "./gate-limits.ts"

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
