import { readdirSync, readFileSync } from "node:fs"
import { join, basename } from "node:path"

import { packageRoot } from "../../std/program-files.ts"
import {
  gateAppDirectories,
  gatePermissionFlags,
  relayFlags,
  vaultFlags,
} from "../daemon/process-flags.ts"
import { credentialName, gateNotifyDir, relayDir, signerDir, systemInstallation } from "./system.ts"

/** The Node and the package that the units start. Absolute paths without links. */
export type Program = { readonly node: string; readonly packageRoot: string }

/** Where the Debian package has them, and the units in systemd/ as they are checked in. */
export const packagedProgram: Program = {
  node: "/usr/lib/countersign/node",
  packageRoot: "/usr/lib/countersign",
}

/** Flags that Node gets in each service, by the unit's name. */
export type FlagsByUnit = Readonly<Record<string, readonly string[]>>

/**
 * Writes a unit of systemd/ for another place of the program: its paths take the place of the packaged
 * ones wherever they are, and Node's flags in `ExecStart=` become those of this Node and this place.
 */
export function renderUnit(
  { name, text }: { readonly name: string; readonly text: string },
  program: Program,
  flags: FlagsByUnit = flagsByUnit(),
): string {
  const moved = text.replaceAll(packagedPath, (_, node: string | undefined) =>
    node === undefined ? program.packageRoot : program.node,
  )
  const unitFlags = flags[name]
  if (unitFlags === undefined) return moved
  return moved.replace(execStart, (line) => startLine(line, program, unitFlags))
}

/** The flags of this Node for each service, where this package lies. */
export function flagsByUnit(): FlagsByUnit {
  return {
    "countersign-vault.service": vaultFlags(systemInstallation, {
      // systemd.unit(5): %d is the directory with the unit's credentials.
      passphraseFile: join("%d", credentialName),
      usesKeychain: false,
      signerDir,
    }),
    "countersign-gate.service": gatePermissionFlags(gateAppDirectories(), gateNotifyDir),
    "countersign-relay.service": relayFlags([...gateAppDirectories(), relayDir, "%d"]),
  }
}

/** The packaged root, or Node within it. */
const packagedPath = /\/usr\/lib\/countersign(\/node(?![\w-]))?(?![\w-])/g

/** The whole setting, with the lines that a backslash continues. */
const execStart = /^ExecStart=(?:.*\\\n)*.*$/m

/** `launch … -- NODE FLAGS… ENTRY OPTIONS…` with other flags, as many lines or one as it was. */
function startLine(line: string, { node }: Program, flags: readonly string[]): string {
  const words = line.split(/[\s\\]+/)
  const nodeAt = words.indexOf(node)
  const entryAt = words.findIndex((word) => word.endsWith("/main.js"))
  if (nodeAt === -1 || entryAt < nodeAt) throw new Error("a unit starts something else than Node")
  const launcher = words.slice(0, nodeAt).join(" ")
  const entry = words[entryAt] ?? ""
  const options = words.slice(entryAt + 1).join(" ")
  const parts = [launcher, node, ...flags, entry, options].filter((part) => part !== "")
  return parts.join(line.includes("\\\n") ? " \\\n  " : " ")
}

/** A file of systemd/ as install-service writes it, for another place of the program. */
export type InstalledFile = { readonly name: string; readonly path: string; readonly text: string }

/**
 * All files of systemd/ that make the services: units, users, directories. `place` is where systemd looks for one, below
 * /etc install-service's, below /usr/lib the Debian package's; `text` is for the program where that package has it.
 */
export function serviceFiles() {
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
const unitName = /^countersign[\w-]*\.(?:service|socket|target|timer)$/
const configName = /^countersign\.(sysusers|tmpfiles)\.conf$/

/** sysusers.d(5), tmpfiles.d(5), systemd.unit(5): a file in /etc stands before one of that name in /usr/lib. */
function placeOf(source: string): string | undefined {
  const [, kind] = configName.exec(source) ?? []
  if (kind !== undefined) return `${kind}.d/countersign.conf`
  return unitName.test(source) ? `systemd/system/${source}` : undefined
}
