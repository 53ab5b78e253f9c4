import { dirname, join, sep } from "node:path"

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
