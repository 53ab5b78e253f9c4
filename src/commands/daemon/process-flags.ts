import { dirname, join, sep } from "node:path"

import { ifKnown } from "../../std/program-files.ts"

/**
 * Lets a process under the permission model read `files`, and `directories` with all below them.
 *
 * As of Node 26 no directory can be granted whose path another granted path goes on with (`/a/d` beside `/a/d.pass`
 * or `/a/d-2`): what is in it can be read then, and it itself can't. There, what holds it is granted in its place.
 */
export function readFlags(
  directories: readonly string[],
  files: readonly string[] = [],
): readonly string[] {
  const paths = [...directories, ...files]
  const hasNamesake = (directory: string): boolean =>
    paths.some((path) => path.startsWith(directory) && !isWithin(path, directory))
  const granted = directories.map((each) => (hasNamesake(each) ? dirname(each) : each))
  return [...granted.map((each) => join(each, "*")), ...files].map(
    (path) => `--allow-fs-read=${path}`,
  )
}

/** Whether `path` is `directory` or below it. */
export function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}${sep}`)
}

/**
 * What keeps gate and vault small: how many MB of each thread's new values V8 gathers before it looks for those still in
 * use, of which a request leaves hardly any; and by how much all may grow before it looks through the old ones. It
 * looks in the thread itself: threads of its own would take the cores from gate and vault.
 */
export const memoryFlags: readonly string[] = [
  "--max-semi-space-size=8",
  "--single-threaded-gc",
  "--heap-growing-percent=50",
]

/** glibc would begin an arena for each thread, and keep in it what was freed there. */
export const memoryVariables: Readonly<Record<string, string>> = { MALLOC_ARENA_MAX: "2" }

/**
 * Flags of a process that faces the network: it reads what `reads` grants, and writes no file, starts no process, no
 * worker, no addon, no inspector; and those that keep it small. They restrict accidents and ordinary bugs; against hostile
 * code in the process the unit file is the boundary.
 */
export function networkFlags(reads: readonly string[]): readonly string[] {
  return [
    "--permission",
    ...reads,
    // Node 26 needs it even for Unix sockets; to Node 24, which doesn't restrict the network, it is a bad option.
    ...ifKnown("--allow-net"),
    // node:sqlite asks the permission model nothing, and could write files.
    ...ifKnown("--no-experimental-sqlite"),
    "--disable-sigusr1",
    // Not `throw`: a header or an answer's header of that name would end the process, in Node's own parser.
    "--disable-proto=delete",
    "--disable-warning=ExperimentalWarning",
    "--disable-warning=SecurityWarning",
    ...memoryFlags,
  ]
}
