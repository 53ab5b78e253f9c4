import { existsSync } from "node:fs"
import { mkdir, rename, symlink } from "node:fs/promises"
import { dirname, join } from "node:path"

import { numRuns } from "./runs.ts"

/** Where a program lies, from a directory of the test's on, and how it is come to. */
export const programPlaces = {
  plain: "countersign",
  spaces: "a check out/countersign",
  umlauts: "Prüfstand/größer",
  link: "link/countersign",
} as const

export type ProgramPlace = keyof typeof programPlaces

/** Where an installation lies, from the program's directory on. */
const installationPlaces = {
  "shared prefix": (program: string) => `${program}-try`,
  "prefix of it": (program: string) => program.slice(0, -1),
  inside: (program: string) => join(program, "d"),
  spaces: (program: string) => join(dirname(program), "a trial", "d"),
  umlauts: (program: string) => join(dirname(program), "Übung", "d"),
  link: (program: string) => join(dirname(program), "linked", "d"),
} as const satisfies Readonly<Record<string, (program: string) => string>>

export type InstallationPlace = keyof typeof installationPlaces

/** Names are those of the tables above. */
export type Place = { readonly program: ProgramPlace; readonly installation: InstallationPlace }

/** What is tried in places, each in those that the other isn't in where a run is short. */
const tried = ["a checkout", "the npm package"] as const
export type Tried = (typeof tried)[number]

/**
 * Every program with every installation in a long run. In a short one every second: so that `what` still has every
 * program and every installation, and with the other every pair.
 */
export function placesOf(what: Tried): readonly Place[] {
  const isLong = numRuns(1).numRuns > 1
  return keysOf(programPlaces).flatMap((program, row) =>
    keysOf(installationPlaces)
      .filter((_, column) => isLong || (row + column) % tried.length === tried.indexOf(what))
      .map((installation) => ({ program, installation })),
  )
}

/** The path of a program below `root`; its parent is there, and a link where that is the place. */
export async function makeProgramPlace(root: string, place: ProgramPlace): Promise<string> {
  const path = join(root, programPlaces[place])
  await makeParent(path, place === "link")
  return path
}

/** Moves an installation to its place by the program, and returns the path to it. */
export async function moveInstallation(
  dir: string,
  { program, installation }: { readonly program: string; readonly installation: InstallationPlace },
): Promise<string> {
  const path = installationPlaces[installation](program)
  await makeParent(path, installation === "link")
  await rename(dir, path)
  return path
}

async function makeParent(path: string, isLink: boolean): Promise<void> {
  const parent = dirname(path)
  await mkdir(isLink ? `${parent}-target` : parent, { recursive: true })
  if (isLink && !existsSync(parent)) await symlink(`${parent}-target`, parent)
}

function keysOf<Name extends string>(table: Readonly<Record<Name, unknown>>): readonly Name[] {
  return Object.keys(table) as Name[] // the table has no others
}
