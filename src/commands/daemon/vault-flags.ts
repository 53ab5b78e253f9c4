import { ifKnown } from "../../std/program-files.ts"
import { usualSignerDir, type Installation } from "../../vault/config/installation.ts"
import { nativeCurveFlags } from "../../vault/keyring/curve.ts"
import { bootIdFile } from "../../vault/process/clock.ts"
import { gateAppDirectories } from "./gate-flags.ts"
import { memoryFlags, readFlags } from "./process-flags.ts"

/**
 * Node's permission model for the vault: it reads the program, the configuration and its passphrase file,
 * writes its state, starts the ledger's worker, and loads the curve; and what keeps it small. Node calls this a seat belt, not a boundary; the
 * boundary is the unit file.
 */
export function vaultFlags(
  { configDir, stateDir }: Installation,
  {
    passphraseFile,
    usesKeychain,
    signerDir = usualSignerDir(),
  }: {
    readonly passphraseFile: string | undefined
    readonly usesKeychain: boolean
    /** The usual one if left out. */
    readonly signerDir?: string
  },
): readonly string[] {
  const secretFile = passphraseFile === undefined ? [] : [passphraseFile]
  return [
    "--permission",
    ...readFlags(
      [...gateAppDirectories(), configDir, stateDir, signerDir],
      [bootIdFile, ...secretFile],
    ),
    `--allow-fs-write=${stateDir}`,
    `--allow-fs-write=${signerDir}`,
    "--allow-worker",
    // The vault gives it up once the curve is loaded.
    ...nativeCurveFlags(),
    // The keychain is spoken to in a process of its own.
    ...(usesKeychain ? ["--allow-child-process"] : []),
    // As of Node 26 even a Unix socket needs it; the vault gives it up once its sockets listen.
    ...ifKnown("--allow-net"),
    ...ifKnown("--disable-sigusr1"),
    "--disable-proto=throw",
    "--disable-warning=ExperimentalWarning",
    "--disable-warning=SecurityWarning",
    ...memoryFlags,
  ]
}
