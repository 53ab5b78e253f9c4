import type { Place, YamlPath } from "../../std/yaml-file.ts"
import { patternsMeet } from "../path-pattern.ts"
import { readGroups, type ReadGroup, type ReadPaths } from "../read-groups.ts"
import type { PlacedProblem } from "./placed-problem.ts"

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
