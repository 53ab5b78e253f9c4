import { existsSync } from "node:fs"
import { isAbsolute, join } from "node:path"

import { repositoryRoot } from "./markdown.ts"

const enablingLine =
  'export COUNTERSIGN_KEYTAR="$(sh test/support/install-keytar.sh "$(mktemp -d)")"'

/** The directory of an installed keytar: COUNTERSIGN_KEYTAR, else in node_modules; `undefined` where there is none. */
export function keytarDirectory(): string | undefined {
  const named = process.env["COUNTERSIGN_KEYTAR"]
  const path = named ?? join(repositoryRoot, "node_modules", "keytar")
  const addon = join(path, "build", "Release", "keytar.node")
  return isAbsolute(path) && existsSync(addon) ? path : undefined
}

/**
 * Options for a test that needs keytar, which is an optional peer and isn't installed with the others:
 * skipped with the line that enables it where it is missing.
 *
 * @throws when it is missing and CI=true: there nothing may be skipped unseen.
 */
export function needsKeytar(): { readonly skip?: string } {
  if (keytarDirectory() !== undefined) return {}
  const reason = `needs keytar: ${enablingLine}`
  if (process.env["CI"] === "true") throw new Error(reason)
  return { skip: reason }
}
