import { randomBytes } from "node:crypto"

import { Fault } from "../../std/fault.ts"
import { readNames, serviceFileOf } from "../../vault/keyring/keychain/key-registry.ts"
import { writeNewFile } from "../../vault/keyring/write-new-file.ts"
import { makePrivateDirectory } from "./make-private-directory.ts"

/**
 * Makes the directory that says which items of the keychain are this installation's keys, without keys.
 *
 * @throws {Fault} `already_initialised`, `keystore_unavailable`, `file_unsafe`.
 */
export async function createRegistry(directory: string): Promise<void> {
  await makePrivateDirectory(directory)
  // Keys of an old registry would be looked for under a service that never had them.
  const isUsed = (await readNames(directory)).length > 0
  const service = `countersign-${randomBytes(16).toString("hex")}`
  if (isUsed || !(await writeNewFile(serviceFileOf(directory), service))) {
    const message = `${directory} lists keys of the keychain already, so nothing was changed; choose another directory.`
    throw new Fault("already_initialised", message)
  }
}
