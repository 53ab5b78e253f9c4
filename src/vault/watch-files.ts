import { watch } from "node:fs"

import { pathsOf, type Installation } from "./installation.ts"

/** Editors write a file in several steps; a set is read when nothing has changed for so long. */
const quietMs = 250

/** Calls `changed` after the configuration's files have changed. Ends with the process. */
export function watchFiles(installation: Installation, changed: () => void): void {
  let timer: NodeJS.Timeout | undefined
  const later = (): void => {
    clearTimeout(timer)
    timer = setTimeout(changed, quietMs)
  }
  for (const directory of [installation.configDir, pathsOf(installation).policiesDir]) {
    watch(directory, (_, name) => {
      if (name === null || /\.ya?ml$/i.test(name)) later()
    })
  }
}
