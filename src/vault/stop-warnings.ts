import type { ActiveSet, FileSet } from "./active-set.ts"
import { missingLines } from "./panic-lines.ts"

/** What would keep heartbeats and panics from doing what the files mean by them. */
export function stopWarnings(set: ActiveSet): readonly string[] {
  return [...unheardWarnings(set), ...panicWarnings(set), ...panicKeyWarnings(set)]
}

/** Silence counts from a client's first heartbeat on, so that of one that can send none never does. */
function unheardWarnings({ config, clients }: ActiveSet): readonly string[] {
  return [...config.heartbeats.keys()].flatMap((name) => {
    const client = clients.find((each) => each.name === name && each.tokenHash !== null)
    if (client?.rights.includes("heartbeat") === true) return []
    const what =
      client === undefined ? "there is no such client" : "it was added without --right heartbeat"
    return [`heartbeats in countersign.yaml names ${name}, and ${what}: nothing watches it.`]
  })
}

/** Where a panic is meant to cancel, it must be able to. */
export function panicWarnings({ config, profile }: FileSet): readonly string[] {
  const isMeant =
    profile.panic.length > 0 || [...config.heartbeats.values()].some(({ then }) => then === "panic")
  if (!isMeant) return []
  const lines = missingLines(profile).map(
    (line) => `A panic freezes and can't cancel; add to venue.yaml: ${line}`,
  )
  const noVenue = "A panic can send no cancel without base_url in venue.yaml."
  return profile.baseUrl === undefined ? [...lines, noVenue] : lines
}

function panicKeyWarnings({ profile, keys }: ActiveSet): readonly string[] {
  const named = new Set(profile.panic.flatMap(({ key }) => key ?? []))
  return [...named]
    .filter((name) => !keys.has(name))
    .map((name) => `panic in venue.yaml names the key ${name}, and there is no such key.`)
}
