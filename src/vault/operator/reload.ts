import type { AdminResults } from "../../link/calls/methods.ts"
import { assertReloadable } from "../active/assert-reloadable.ts"
import { loadFiles } from "../config/load-files.ts"
import type { Vault } from "../core/vault.ts"
import { assertAccepted } from "../status/attestation.ts"
import { warningsOf } from "../status/warnings.ts"

/**
 * Puts the files on disk in force: all of them, or, when anything is wrong with them, none, and the old
 * ones stay. Once it has answered nothing is signed under the old ones.
 *
 * @throws {Fault} `config_invalid` with file, line and column of every problem, `not_accepted`, `usage`
 * when a change needs a restart.
 */
export function reload(vault: Vault): Promise<AdminResults["reload"]> {
  return vault.inTurn(() => reloadFiles(vault))
}

async function reloadFiles(vault: Vault): Promise<AdminResults["reload"]> {
  const files = await loadFiles(vault.installation)
  assertAccepted(files, vault.active())
  assertReloadable(vault.active(), files)
  await vault.adopt(files)
  const warnings = warningsOf(vault.active(), vault.now())
  return {
    policy_hash: vault.active().policyHash,
    warnings: warnings.map(({ message }) => message),
  }
}
