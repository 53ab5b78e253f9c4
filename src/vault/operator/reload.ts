import type { AdminResults } from "../../link/calls/methods.ts"
import { assertReloadable } from "../active/assert-reloadable.ts"
import { loadFiles } from "../config/load-files.ts"
import type { FilesInForce } from "../active/active-set.ts"
import { assertAccepted, assertShown } from "../status/attestation.ts"
import { warningsOf } from "../status/warnings.ts"

/**
 * Puts the files on disk in force: all of them, or, when anything is wrong with them, none, and the old
 * ones stay. Once it has answered nothing is signed under the old ones. `hash` is that of the files that were looked at.
 *
 * @throws {Fault} `config_invalid` with file, line and column of every problem, `not_accepted`, `usage`
 * when a change needs a restart.
 */
export function reload(inForce: FilesInForce, hash?: string): Promise<AdminResults["reload"]> {
  return inForce.inTurn(() => reloadFiles(inForce, hash))
}

async function reloadFiles(inForce: FilesInForce, hash?: string): Promise<AdminResults["reload"]> {
  const files = await loadFiles(inForce.installation)
  if (hash !== undefined) assertShown(files, hash)
  assertAccepted(files, inForce.active())
  assertReloadable(inForce.active(), files)
  await inForce.adopt(files)
  const warnings = warningsOf(inForce.active(), inForce.now())
  return {
    policy_hash: inForce.active().policyHash,
    warnings: warnings.map(({ message }) => message),
  }
}
