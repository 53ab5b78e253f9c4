import { readSync } from "node:fs"

import { copySecret, newSecret } from "../../std/bytes.ts"
import { Fault } from "../../std/fault.ts"
import { readPrivateFile } from "../../std/fs/private-file.ts"
import { withSecret } from "./with-secret.ts"

/** Far more than any passphrase. It bounds how much a wrong path can make us read. */
const maxSecretFileBytes = 64 * 1024

/**
 * Reads the passphrase or password in a file, without the one newline that editors put at the end. The
 * caller overwrites it after use.
 *
 * @throws {Fault} `passphrase_missing` when there is no file or nothing in it, `file_unsafe` when others
 * could read it.
 */
export async function readSecretFile(path: string): Promise<Uint8Array> {
  const bytes = await readPrivateFile(path, maxSecretFileBytes)
  if (bytes === undefined) {
    throw new Fault(
      "passphrase_missing",
      `${path} doesn't exist; put the passphrase there (mode 0600).`,
    )
  }
  const secret = withSecret(bytes, withoutNewline)
  if (secret.length === 0) {
    throw new Fault("passphrase_missing", `${path} is empty; put the passphrase there.`)
  }
  return secret
}

/**
 * Reads what the parent wrote to our standard input before it closed it. Doesn't use a stream, because that would leave
 * copies in Node's buffers. The caller overwrites the result after use.
 */
export function readPipedSecret(): Uint8Array {
  return withSecret(newSecret(maxSecretFileBytes), (bytes) => {
    let length = 0
    for (let read = -1; read !== 0; length += read) {
      read = readSync(0, bytes, { offset: length })
    }
    return copySecret(bytes.subarray(0, length))
  })
}

/** A copy without one trailing `\n` or `\r\n`. */
function withoutNewline(bytes: Uint8Array): Uint8Array {
  if (bytes.at(-1) !== 0x0a) return copySecret(bytes)
  return copySecret(bytes.subarray(0, bytes.at(-2) === 0x0d ? -2 : -1))
}
