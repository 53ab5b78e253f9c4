import { homedir } from "node:os"
import { isAbsolute, join, resolve, sep } from "node:path"

import { Fault } from "../std/fault.ts"
import type { Config } from "./config.ts"
import type { Installation } from "./installation.ts"

/**
 * Where the signers' locks and marks are: what countersign.yaml says, else one place for all installations
 * of this user.
 *
 * @throws {Fault} `config_invalid` when it is within the state directory: a restore would bring it back too.
 */
export function signerDirOf(config: Pick<Config, "signerDir">, { stateDir }: Installation): string {
  const directory = resolve(config.signerDir ?? usualSignerDir())
  if (directory !== stateDir && !directory.startsWith(`${stateDir}${sep}`)) return directory
  throw new Fault(
    "config_invalid",
    `The signers' directory ${directory} is in the state directory, where a restored backup would replace it; name another one as signer_dir in countersign.yaml.`,
  )
}

/** Where they are unless countersign.yaml says otherwise. */
export function usualSignerDir(): string {
  return join(stateHome(), "countersign-signers")
}

/** XDG Base Directory Specification: a relative path in the variable is ignored. */
function stateHome(): string {
  const home = process.env["XDG_STATE_HOME"]
  return home !== undefined && isAbsolute(home) ? home : join(homedir(), ".local/state")
}
