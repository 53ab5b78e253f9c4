import type { YamlPath } from "../../std/yaml-file.ts"
import type { Profile } from "../profile.ts"
import { type ReadGroup, readGroupOf, type ReadPaths, readWeights } from "../read-paths.ts"
import type { PlacedProblem } from "./check-endpoints.ts"

/** Half of what the interface's "Limits" let an IP address send in a minute: the rest is for orders and cancels. */
const maxWeightPerMinute = 600

/** What is read, with its query, and its place in venue.yaml. */
export type PlacedRead = { readonly path: string; readonly at: YamlPath }

/** The group of a path that may have a query; `undefined` when venue.yaml doesn't list it. */
function groupOf(path: string, reads: ReadPaths): ReadGroup | undefined {
  return readGroupOf(path.replace(/\?.*/, ""), reads)
}

/** What reading all of these once weighs against the IP budget. One without a group weighs what the heaviest does. */
export function weightOf(all: readonly PlacedRead[], reads: ReadPaths): number {
  const weights = all.map(({ path }) => readWeights[groupOf(path, reads) ?? "explorer"])
  return weights.reduce((sum, weight) => sum + weight, 0)
}

/** Checks that each is in a group, for else its weight is a guess. Says so once of a place. */
export function checkGroups(
  all: readonly PlacedRead[],
  reads: ReadPaths,
): readonly PlacedProblem[] {
  const unknown = all.filter(({ path }) => groupOf(path, reads) === undefined)
  const problems = unknown.map(({ path, at }): [string, PlacedProblem] => {
    const message = `no group of reads has ${path}, so its weight isn't known; add it there`
    return [at.join(), { path: at, message }]
  })
  return [...new Map(problems).values()]
}

type Polls = Pick<Profile, "pricePoll" | "accountPoll">

/**
 * What the gate reads by itself weighs in a minute: prices, and accounts at their busiest. What comes less often than
 * every `longestMs` counts as if it came that often.
 */
export function polledPerMinute({ pricePoll, accountPoll }: Polls, longestMs = Infinity): number {
  const perMinute = (weight: number, everyMs: number): number =>
    Math.ceil((weight * 60_000) / Math.min(everyMs, longestMs))
  const prices = pricePoll ? perMinute(pricePoll.weight, pricePoll.everyMs) : 0
  if (accountPoll === undefined) return prices
  return prices + perMinute(accountPoll.weight * accountPoll.accounts.length, accountPoll.busyMs)
}

/** Checks that what is read leaves room for orders. */
export function checkPollWeight(polls: Polls): readonly PlacedProblem[] {
  const { pricePoll, accountPoll } = polls
  const perMinute = polledPerMinute(polls)
  if (perMinute <= maxWeightPerMinute) return []
  const what = pricePoll && accountPoll ? "this and price_poll weigh" : "this weighs"
  const message = `${what} ${perMinute} a minute, and at most ${maxWeightPerMinute} leave room for orders; poll less often`
  return [{ path: accountPoll ? ["account", "poll", "busy"] : ["price_poll", "every"], message }]
}
