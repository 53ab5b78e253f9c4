import { readGroupOf, readWeights, type ReadGroup, type ReadPaths } from "../read-groups.ts"
import type { PricePoll } from "../profile.ts"
import type { PlacedProblem } from "./placed-problem.ts"
import type { ProfileFile } from "./profile-schema.ts"

/** What venue.yaml polls; `undefined` for nothing. Where its path has `{id}`, the id of each symbol takes that place. */
export function pricePollOf({ price_poll, symbols, reads }: ProfileFile): PricePoll | undefined {
  if (price_poll === undefined) return undefined
  const { path, every: everyMs, list, symbol, value } = price_poll
  const paths = [...new Set(symbols.map(({ id }) => path.replaceAll("{id}", `${id}`)))]
  const weights = paths.map((each) => readWeights[groupOf(each, reads) ?? "explorer"])
  return { paths, weight: weights.reduce((a, b) => a + b, 0), everyMs, list, symbol, value }
}

/** Half of what the interface's "Limits" let an IP address send in a minute: the rest is for orders and cancels. */
const maxWeightPerMinute = 600

/** Checks that what is polled has a known weight, and leaves room for orders. */
export function checkPricePoll(file: ProfileFile): readonly PlacedProblem[] {
  const poll = pricePollOf(file)
  if (poll === undefined) return []
  const ungrouped = poll.paths.find((path) => groupOf(path, file.reads) === undefined)
  const perMinute = Math.ceil((poll.weight * 60_000) / poll.everyMs)
  const unknown = `no group of reads has ${ungrouped ?? ""}, so its weight isn't known; add it there`
  const heavy = `this weighs ${perMinute} a minute, and at most ${maxWeightPerMinute} leave room for orders; poll less often`
  if (ungrouped !== undefined) return [{ path: ["price_poll", "path"], message: unknown }]
  return perMinute > maxWeightPerMinute ? [{ path: ["price_poll", "every"], message: heavy }] : []
}

function groupOf(path: string, reads: ReadPaths): ReadGroup | undefined {
  return readGroupOf(path.replace(/\?.*/, ""), reads)
}
