import { dirname } from "node:path"

import { assertTrustedDirectory } from "../../vault/config/load-files.ts"
import { readPrivateFile } from "../../std/private-file.ts"

/** Far more than the secret has; bounds what a wrong path can make us read. */
const maxSecretBytes = 1_024

/**
 * The daemon's admin secret, or `undefined` when none ever wrote one here. Where others could exchange it, or
 * the socket beside it, they could be told private keys: nothing is read there.
 *
 * @throws {Fault} `file_unsafe`, `not_initialised` when there is no such directory.
 */
export async function readAdminSecret(file: string): Promise<string | undefined> {
  await assertTrustedDirectory(dirname(file))
  const bytes = await readPrivateFile(file, maxSecretBytes)
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes)
}
