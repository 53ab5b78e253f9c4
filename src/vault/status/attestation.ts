import type { AdminParams, AdminResults } from "../../link/calls/methods.ts"
import { Fault } from "../../std/fault.ts"
import { assertReloadable } from "../active/assert-reloadable.ts"
import type { Standing } from "../active/standing.ts"
import type { FileSet } from "../config/file-set.ts"
import { loadFiles } from "../config/load-files.ts"
import { readFileSet } from "../config/read-file-set.ts"
import type { Vault } from "../core/vault.ts"
import { changesBetween } from "../policy/widening.ts"

/**
 * With `attest: required`, files count once a person has accepted them. It is asked of the files in force
 * too, so that a change can't do away with it by itself.
 *
 * @throws {Fault} `not_accepted`.
 */
export function assertAccepted(files: FileSet, active: FileSet & Standing): void {
  if (isAccepted(files, active)) return
  throw new Fault(
    "not_accepted",
    "The files have changed, and a person has to accept them: countersign policy accept shows what is different. The old ones stay in force.",
  )
}

/**
 * At the start, where the files on disk aren't accepted, runs those that are.
 *
 * @throws {Fault} `not_accepted` when none ever were.
 */
export async function runAccepted(vault: Vault): Promise<void> {
  const active = vault.active()
  if (isAccepted(active, { ...active, config: await lastConfig(vault, active) })) return
  const { acceptedHash } = active
  const files = acceptedHash === undefined ? undefined : await storedFiles(vault, acceptedHash)
  if (files === undefined) {
    throw new Fault(
      "not_accepted",
      "attest is required, and nobody has accepted the files yet: countersign policy accept shows them.",
    )
  }
  await vault.adopt(files, "The files on disk aren't accepted; those that were accepted last run.")
}

/** `countersign policy accept`, before it asks: what is different on disk from what was accepted, or else ran, last. */
export async function candidate(vault: Vault): Promise<AdminResults["candidate"]> {
  const files = await loadFiles(vault.installation)
  const { acceptedHash } = vault.active()
  const lastHash = acceptedHash ?? vault.ledger.opened.lastSet?.hash
  const last = lastHash === undefined ? undefined : await storedFiles(vault, lastHash)
  return {
    hash: files.filesHash,
    accepted: acceptedHash === files.filesHash,
    changes: changesBetween(last?.texts ?? [], files.texts),
  }
}

/**
 * Accepts the files on disk, if they are still those that were shown, and puts them in force.
 *
 * @throws {Fault} `usage` when they have changed since, or need a restart.
 */
export async function acceptPolicy(
  { hash }: AdminParams["acceptPolicy"],
  vault: Vault,
): Promise<AdminResults["acceptPolicy"]> {
  const files = await loadFiles(vault.installation)
  if (files.filesHash !== hash) {
    throw new Fault("usage", "The files have changed since they were shown; look at them again.")
  }
  assertReloadable(vault.active(), files)
  await vault.act({ act: "set_accepted", hash })
  await vault.adopt(files)
  return { policy_hash: vault.active().policyHash }
}

/**
 * `countersign policy rollback`: puts an earlier set in force, by its hash, or the one before this. The
 * files on disk stay as they are, so the next reload or start takes them, unless acceptance is required.
 *
 * @throws {Fault} `name_unknown`, `config_invalid`, `usage`.
 */
export async function rollback(
  { hash }: AdminParams["rollback"],
  vault: Vault,
): Promise<AdminResults["rollback"]> {
  const { filesHash, config } = vault.active()
  const earlier = (await vault.ledger.sets()).find((set) => set.hash !== filesHash)
  const wanted = hash ?? earlier?.hash
  const files = wanted === undefined ? undefined : await storedFiles(vault, wanted)
  if (wanted === undefined || files === undefined) {
    throw new Fault("name_unknown", "There is no such set of files to go back to.")
  }
  assertReloadable(vault.active(), files)
  if (config.attestRequired) await vault.act({ act: "set_accepted", hash: wanted })
  await vault.adopt(files, "An earlier set was put in force; the files on disk differ from it.")
  return { hash: wanted, policy_hash: vault.active().policyHash }
}

function isAccepted(files: FileSet, active: FileSet & Standing): boolean {
  const isRequired = files.config.attestRequired || active.config.attestRequired
  return !isRequired || files.filesHash === active.acceptedHash
}

/** The settings that were in force last: whoever changes countersign.yaml can't lift what they asked for. */
async function lastConfig(vault: Vault, active: FileSet): Promise<FileSet["config"]> {
  const { lastSet } = vault.ledger.opened
  const files = lastSet === undefined ? undefined : await storedFiles(vault, lastSet.hash)
  return files?.config ?? active.config
}

async function storedFiles(vault: Vault, hash: string): Promise<FileSet | undefined> {
  const stored = await vault.ledger.set(hash)
  const read = stored === undefined ? undefined : readFileSet(stored.files)
  return read?.ok === true ? read.value : undefined
}
