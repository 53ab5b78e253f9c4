import type { Place, YamlPath } from "../../std/yaml-file.ts"
import type { PricePoll } from "../profile.ts"
import {
  patternsMeet,
  readGroups,
  type ReadGroup,
  type ReadPaths,
  readGroupOf,
  readWeights,
} from "../read-paths.ts"
import type { PlacedProblem } from "./check-endpoints.ts"
import type { ProfileFile } from "./profile-schema.ts"

type Named = { readonly group: ReadGroup; readonly index: number; readonly pattern: string }

/** Checks that no path is in two groups: its weight would be a guess. */
export function checkReads(
  reads: ReadPaths,
  placeOf: (path: YamlPath) => Place,
): readonly PlacedProblem[] {
  const named = readGroups.flatMap((group) =>
    reads[group].map((pattern, index): Named => ({ group, index, pattern })),
  )
  return named.flatMap((each, at) => {
    const other = named.slice(0, at).find((earlier) => isAtOdds(earlier, each))
    if (other === undefined) return []
    const { line } = placeOf(pathOf(other))
    const message = `a path can be both in ${each.group} by this and in ${other.group} by ${other.pattern} (line ${line}); tell them apart`
    return [{ path: pathOf(each), message }]
  })
}

function isAtOdds(one: Named, other: Named): boolean {
  return one.group !== other.group && patternsMeet(one.pattern, other.pattern)
}

function pathOf({ group, index }: Named): YamlPath {
  return ["reads", group, index]
}

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
