import { randomBytes } from "node:crypto"
import { readdir } from "node:fs/promises"

import { Fault } from "../../std/fault.ts"
import { isKeyFile, masterFileOf } from "../../vault/keyring/keystore-files.ts"
import { encryptV3 } from "../../vault/keyring/keystore-v3.ts"
import { withSecret } from "../../vault/keyring/with-secret.ts"
import { writeNewFile } from "../../vault/keyring/write-new-file.ts"
import { makePrivateDirectory } from "./make-private-directory.ts"

/** scrypt's cost where a person chose the passphrase: about a second and 256 MiB (as of 2026). */
const passphraseLogN = 18

/** scrypt's cost under a credential, which is random but made by somebody else. */
export const credentialLogN = 12

/**
 * Makes a keystore without keys: random bytes that all keys rest under, wrapped under the passphrase. `logN` is
 * 18 unless `passphrase` is itself random. `passphrase` stays the caller's, to overwrite.
 *
 * @throws {Fault} `already_initialised`, `passphrase_missing`, `file_unsafe`.
 */
export async function createKeystore(input: {
  readonly directory: string
  readonly passphrase: Uint8Array
  readonly logN?: number
}): Promise<void> {
  const { directory, passphrase, logN = passphraseLogN } = input
  if (passphrase.length === 0) {
    throw new Fault(
      "passphrase_missing",
      "The passphrase is empty; choose one of 12 characters or more.",
    )
  }
  await makePrivateDirectory(directory)
  // A new master.json beside keys of an old one would look like a keystore and open none of them.
  const files = await readdir(directory)
  if (files.some(isKeyFile)) throw alreadyInitialised(directory)

  const json = await withSecret(randomBytes(32), (secret) =>
    encryptV3({ secret, password: passphrase, logN }),
  )
  if (!(await writeNewFile(masterFileOf(directory), json))) throw alreadyInitialised(directory)
}

function alreadyInitialised(directory: string): Fault {
  return new Fault(
    "already_initialised",
    `${directory} holds a keystore already, so nothing was changed; choose another directory.`,
  )
}
