import { sep } from "node:path"

import { gateAppDirectories } from "../../gate/permission-flags.ts"
import { keychainVaultFlags } from "../../vault/keyring/keychain/keychain-flags.ts"
import type { Installation } from "../../vault/installation.ts"

/**
 * Node's permission model for the vault: it reads the program, the configuration and its passphrase file,
 * writes its state, and starts the ledger's worker. Node calls this a seat belt, not a boundary; the
 * boundary is the unit file.
 */
export function vaultFlags(
  { configDir, stateDir }: Installation,
  {
    passphraseFile,
    usesKeychain,
  }: { readonly passphraseFile: string | undefined; readonly usesKeychain: boolean },
): readonly string[] {
  const readable = [...gateAppDirectories(), configDir, stateDir].map((path) => `${path}${sep}*`)
  if (passphraseFile !== undefined) readable.push(passphraseFile)
  return [
    "--permission",
    ...readable.map((path) => `--allow-fs-read=${path}`),
    `--allow-fs-write=${stateDir}`,
    "--allow-worker",
    ...(usesKeychain ? keychainVaultFlags() : []),
    // As of Node 26 even a Unix socket needs it; the vault gives it up once its sockets listen.
    ...ifKnown("--allow-net"),
    ...ifKnown("--disable-sigusr1"),
    "--disable-proto=throw",
    "--disable-warning=ExperimentalWarning",
    "--disable-warning=SecurityWarning",
  ]
}

function ifKnown(flag: string): readonly string[] {
  return process.allowedNodeEnvironmentFlags.has(flag) ? [flag] : []
}
