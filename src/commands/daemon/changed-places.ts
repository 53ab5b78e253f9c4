import { changesBetween } from "../../audit/widening.ts"
import { changedFiles } from "../../vault/active/files-on-disk.ts"
import type { FileText } from "../../vault/config/load-files.ts"

/** Where two sets of files say something else, and whether that may allow more. Values may be for few eyes: without them. */
export function changedPlaces(
  before: readonly FileText[],
  after: readonly FileText[],
): readonly string[] {
  const changes = changesBetween(before, after)
  const places = changes.map(
    ({ file, where, widens }) => `${widens ? "WIDENS " : "       "} ${file} ${where}`,
  )
  const silent = changedFiles(before, after).filter(
    (name) => !changes.some(({ file }) => file === name),
  )
  const all = [...places, ...silent.map((name) => `        ${name}, but not what it says`)]
  const more = all.length - maxPlaces
  return more > 0 ? [...all.slice(0, maxPlaces), `        and ${more} more`] : all
}

/** The log of a start stays readable; `countersign policy log` has them all, with values. */
const maxPlaces = 40
