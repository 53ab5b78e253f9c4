import { mkdir } from "node:fs/promises"
import { dirname } from "node:path"

import { Fault } from "../../std/fault.ts"
import { assertPrivateDirectory, codeOf } from "../../std/private-file.ts"
import { syncDirectory } from "../../vault/keyring/write-new-file.ts"

/**
 * Makes a directory of mode 0700, or sees that the one that is there is private.
 *
 * @throws {Fault} `keystore_unavailable` when it can't be made, `file_unsafe` when others get into it.
 */
export async function makePrivateDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory, { mode: 0o700 })
    await syncDirectory(dirname(directory))
  } catch (cause) {
    if (codeOf(cause) !== "EEXIST") {
      const message = `${directory} can't be made (${codeOf(cause) ?? "unknown error"}); check the directory above it.`
      throw new Fault("keystore_unavailable", message, { cause })
    }
  }
  await assertPrivateDirectory(directory)
}
