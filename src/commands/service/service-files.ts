import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

import { packageRoot } from "../../std/program-files.ts"
import { renderUnit, type Program } from "./render-units.ts"

/** A file of the system that makes the service. */
export type ServiceFile = {
  readonly name: string
  readonly text: string
  readonly kind: "unit" | "sysusers" | "tmpfiles"
  /** Where this command writes it. */
  readonly path: string
  /** Where a package of the distribution would have it. */
  readonly distributionPaths: readonly string[]
}

export const unitDir = "/etc/systemd/system"

const unitName = /^countersign[\w-]*\.(?:service|socket|target)$/

/** All of them, for this place of the program. `source` is the folder with the templates. */
export function serviceFiles(program: Program, source = templates): readonly ServiceFile[] {
  const text = (name: string): string => readFileSync(join(source, name), "utf8")
  return [
    configFile("sysusers", text("countersign.sysusers.conf")),
    configFile("tmpfiles", text("countersign.tmpfiles.conf")),
    ...readdirSync(source)
      .filter((name) => unitName.test(name))
      .sort()
      .map((name): ServiceFile => ({
        name,
        text: renderUnit({ name, text: text(name) }, program),
        kind: "unit",
        path: `${unitDir}/${name}`,
        distributionPaths: [`/usr/lib/systemd/system/${name}`, `/lib/systemd/system/${name}`],
      })),
  ]
}

const templates = join(packageRoot, "systemd")

/** sysusers.d(5), tmpfiles.d(5): a file in /etc stands before one of that name in /usr/lib. */
function configFile(kind: "sysusers" | "tmpfiles", text: string): ServiceFile {
  const name = "countersign.conf"
  const path = `/etc/${kind}.d/${name}`
  return { name, text, kind, path, distributionPaths: [`/usr/lib/${kind}.d/${name}`] }
}
