import { dirname } from "node:path"

import { importsOf, sourceFiles } from "../support/source-imports.ts"

/** Which files of ours a file imports, types included; paths from `src/` on. */
export type Imports = ReadonlyMap<string, ReadonlySet<string>>

/** The imports of every source file. */
export function readImports(): Imports {
  return new Map(
    sourceFiles().map((source) => {
      const targets = importsOf(source).filter(({ isOurs }) => isOurs)
      return [source.file, new Set(targets.map(({ target }) => target))]
    }),
  )
}

/** Groups of more than one name that reach each other; each name is in one at most (Tarjan's strong components). */
export function circlesIn(imports: Imports): readonly (readonly string[])[] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  const circles: string[][] = []
  const visit = (name: string): number => {
    const at = order.size
    order.set(name, at)
    lowest.set(name, at)
    open.push(name)
    for (const target of imports.get(name) ?? []) {
      if (!order.has(target)) visit(target)
      if (open.includes(target)) lowest.set(name, Math.min(low(name), low(target)))
    }
    if (low(name) === at) {
      const circle = open.splice(open.indexOf(name))
      if (circle.length > 1) circles.push(circle.sort())
    }
    return at
  }
  const low = (name: string): number => lowest.get(name) ?? Infinity
  for (const name of imports.keys()) if (!order.has(name)) visit(name)
  return circles
}

/** Pairs of folders that import each other, as `a ↔ b`. */
export function mutualFolders(imports: Imports): readonly string[] {
  const arrows = new Set(
    [...imports].flatMap(([file, targets]) =>
      [...targets].map((target) => `${dirname(file)} ${dirname(target)}`),
    ),
  )
  return [...arrows]
    .map((arrow) => arrow.split(" ") as [string, string])
    .filter(([from, to]) => from < to && arrows.has(`${to} ${from}`))
    .map(([from, to]) => `${from} ↔ ${to}`)
    .sort()
}

/** How many files lie in each folder of `src/` itself, not in a folder below it. */
export function looseFiles(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { file } of sourceFiles()) {
    counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  }
  return counts
}
