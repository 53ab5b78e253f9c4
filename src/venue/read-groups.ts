import { coversPath } from "./path-pattern.ts"

export const readGroups = ["market", "trade", "account", "explorer"] as const
export type ReadGroup = (typeof readGroups)[number]

/** The paths of each group, as patterns. The interface names the groups but shows no paths. */
export type ReadPaths = Readonly<Record<ReadGroup, readonly string[]>>

/** What a read of each group weighs against the IP budget, by the interface's "Limits". */
export const readWeights: Readonly<Record<ReadGroup, number>> = {
  market: 2,
  trade: 2,
  account: 2,
  explorer: 40,
}

/** The group of a path (without its query); `undefined` when venue.yaml doesn't list the path. */
export function readGroupOf(path: string, reads: ReadPaths): ReadGroup | undefined {
  return readGroups.find((group) => reads[group].some((pattern) => coversPath(pattern, path)))
}
