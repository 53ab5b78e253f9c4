import { type ReadGroup, readGroupOf, type ReadPaths, readWeights } from "../read-paths.ts"

/** Half of what the interface's "Limits" let an IP address send in a minute: the rest is for orders and cancels. */
export const maxWeightPerMinute = 600

/** The group of a path that may have a query; `undefined` when venue.yaml doesn't list it. */
export function groupOf(path: string, reads: ReadPaths): ReadGroup | undefined {
  return readGroupOf(path.replace(/\?.*/, ""), reads)
}

/** What reading all of these once weighs against the IP budget. One without a group weighs what the heaviest does. */
export function weightOf(paths: readonly string[], reads: ReadPaths): number {
  const weights = paths.map((path) => readWeights[groupOf(path, reads) ?? "explorer"])
  return weights.reduce((sum, weight) => sum + weight, 0)
}

/** Says that a path's weight would be a guess. */
export function ungroupedMessage(path: string): string {
  return `no group of reads has ${path}, so its weight isn't known; add it there`
}
