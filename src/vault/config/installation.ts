import { homedir } from "node:os"
import { join, isAbsolute, resolve, sep } from "node:path"

import { maxPathBytes } from "../../link/server.ts"
import { Fault } from "../../std/fault.ts"
import type { Config } from "./config.ts"

/** The two directories that hold everything; `--dir` makes them one. Absolute paths. */
export type Installation = { readonly configDir: string; readonly stateDir: string }

/** Where each part of an installation lies. */
export function pathsOf({ configDir, stateDir }: Installation) {
  return {
    configFile: join(configDir, "countersign.yaml"),
    venueFile: join(configDir, "venue.yaml"),
    /** There where paper is traded too. */
    paperFile: join(configDir, "venue-paper.yaml"),
    policiesDir: join(configDir, "policies"),
    ledgerFile: join(stateDir, "ledger.db"),
    /** What was signed while PostgreSQL couldn't be reached, until it is in the ledger. */
    isolatedFile: join(stateDir, "isolated.db"),
    ledgerKeyFile: join(stateDir, "ledger.key"),
    /** The set of files in force, which a start takes up again. */
    inForceFile: join(stateDir, "in-force.json"),
    /** There after a stop that a person asked for, until the next start. */
    stoppedFile: join(stateDir, "stopped"),
    archiveDir: join(stateDir, "archive"),
    keystoreDir: join(stateDir, "keystore"),
    keychainDir: join(stateDir, "keychain"),
    adminSecretFile: join(stateDir, "admin.secret"),
    botSocket: join(stateDir, "bot.sock"),
    adminSocket: join(stateDir, "admin.sock"),
    /** Where the relay dials, with `ledger.engine: postgres`. */
    ledgerSocket: join(stateDir, "ledger.sock"),
  } as const
}

/** @throws {Fault} `config_invalid` when the state directory's path is too long for the sockets in it. */
export function assertSocketPathsFit(installation: Installation): void {
  const { botSocket, adminSocket } = pathsOf(installation)
  const bytesOver =
    Math.max(...[botSocket, adminSocket].map((path) => Buffer.byteLength(path))) - maxPathBytes
  if (bytesOver <= 0) return
  throw new Fault(
    "config_invalid",
    `${installation.stateDir} is too long a path for the sockets in it; choose a state directory whose path is ${bytesOver} bytes shorter.`,
  )
}

/**
 * Where the signers' locks and marks are: what countersign.yaml says, else one place for all installations
 * of this user.
 *
 * @throws {Fault} `config_invalid` when it is within the state directory: a restore would bring it back too;
 * or when the start of its path is the whole of another's.
 */
export function signerDirOf(config: Pick<Config, "signerDir">, installation: Installation): string {
  const { configDir, stateDir } = installation
  const directory = resolve(config.signerDir ?? usualSignerDir())
  const isInside = directory === stateDir || directory.startsWith(`${stateDir}${sep}`)
  const alike = [configDir, stateDir].find((path) => areMixedUp(path, directory))
  if (!isInside && alike === undefined) return directory
  if (alike !== undefined && !isInside) throw tooAlike(directory, alike)
  throw new Fault(
    "config_invalid",
    `The signers' directory ${directory} is in the state directory, where a restored backup would replace it; name another one as signer_dir in countersign.yaml.`,
  )
}

/**
 * Whether Node's permission model (as of 26.10) would mix two directories up: of `/a/b` and `/a/b-c` it
 * grants the first not itself, but only what is in it.
 */
function areMixedUp(path: string, other: string): boolean {
  const [shorter = "", longer = ""] = [path, other].toSorted((a, b) => a.length - b.length)
  return shorter !== longer && longer.startsWith(shorter) && longer[shorter.length] !== sep
}

function tooAlike(directory: string, other: string): Fault {
  return new Fault(
    "config_invalid",
    `Node's permission model can't tell ${directory} from ${other}, since one path is the start of the other; name another signer_dir in countersign.yaml.`,
  )
}

/** Where they are unless countersign.yaml says otherwise. */
export function usualSignerDir(): string {
  return join(stateHome(), "signers-of-countersign")
}

/** XDG Base Directory Specification: a relative path in the variable is ignored. */
function stateHome(): string {
  const home = process.env["XDG_STATE_HOME"]
  return home !== undefined && isAbsolute(home) ? home : join(homedir(), ".local/state")
}
