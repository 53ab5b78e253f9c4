import { readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"

import { packageRoot } from "../../std/program-files.ts"
import { renderUnit, type Program } from "./render-units.ts"

/** A file of systemd/ that makes the services. */
export type ServiceFile = {
  readonly name: string
  /** Where systemd looks for it: below /etc install-service's, below /usr/lib the Debian package's. */
  readonly place: string
  /** For the program where the Debian package has it. */
  readonly text: string
}

/** The same as install-service writes it, for another place of the program. */
export type InstalledFile = { readonly name: string; readonly path: string; readonly text: string }

/** All of them: units, users, directories. */
export function serviceFiles(): readonly ServiceFile[] {
  return readdirSync(folder)
    .sort()
    .flatMap((source) => {
      const place = placeOf(source)
      if (place === undefined) return []
      return [{ name: basename(place), place, text: readFileSync(join(folder, source), "utf8") }]
    })
}

/** What install-service writes of them. */
export function installedFiles(program: Program): readonly InstalledFile[] {
  return serviceFiles().map(({ name, place, text }) => ({
    name,
    path: `/etc/${place}`,
    text: renderUnit({ name, text }, program),
  }))
}

/** The names of the units among the files. */
export function unitNames(files: readonly { readonly name: string }[]): readonly string[] {
  return files.map(({ name }) => name).filter((name) => unitName.test(name))
}

const folder = join(packageRoot, "systemd")
const unitName = /^countersign[\w-]*\.(?:service|socket|target)$/
const configName = /^countersign\.(sysusers|tmpfiles)\.conf$/

/** sysusers.d(5), tmpfiles.d(5), systemd.unit(5): a file in /etc stands before one of that name in /usr/lib. */
function placeOf(source: string): string | undefined {
  const [, kind] = configName.exec(source) ?? []
  if (kind !== undefined) return `${kind}.d/countersign.conf`
  return unitName.test(source) ? `systemd/system/${source}` : undefined
}
