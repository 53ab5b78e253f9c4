import { isAbsolute, join } from "node:path"
import { readSync } from "node:fs"

import { copySecret, newSecret, withSecret } from "../../std/bytes.ts"
import { Fault } from "../../std/fault.ts"
import { readPrivateFile } from "../../std/private-file.ts"
import type { Config } from "../config/config.ts"

/**
 * The file that opens the keystore: the one named, else the one in countersign.yaml, else the credential
 * that systemd put into `$CREDENTIALS_DIRECTORY`. `undefined` where it has to be asked for.
 *
 * @throws {Fault} `passphrase_missing` when a credential is configured and systemd gave none.
 */
export function secretFileOf(
  { keystore }: Pick<Config, "keystore">,
  named: string | undefined,
  directory = process.env["CREDENTIALS_DIRECTORY"],
): string | undefined {
  const file = named ?? keystore.passphraseFile
  if (file !== undefined || keystore.credential === undefined) return file
  if (directory !== undefined && isAbsolute(directory)) return join(directory, keystore.credential)
  throw new Fault(
    "passphrase_missing",
    `The keystore is opened by the systemd credential ${keystore.credential}, and this process was given none: start the unit that has LoadCredentialEncrypted=${keystore.credential}:…, or name a file with --passphrase-file.`,
  )
}

/** Far more than any passphrase. It bounds how much a wrong path can make us read. */
const maxSecretFileBytes = 64 * 1024

/**
 * Reads the passphrase or password in a file, without the one newline that editors put at the end. The
 * caller overwrites it after use. Who chooses one here may not leave it empty.
 *
 * @throws {Fault} `passphrase_missing` when there is no file or nothing in it, `file_unsafe` when others
 * could read it.
 */
export async function readSecretFile(path: string): Promise<Uint8Array> {
  return notEmpty(secretIn(await readPrivateFile(path, maxSecretFileBytes), path), path)
}

/** The secret in what was read of `path`, which it overwrites. @throws {Fault} `passphrase_missing` where nothing was. */
export function secretIn(bytes: Uint8Array | undefined, path: string): Uint8Array {
  if (bytes !== undefined) return withSecret(bytes, withoutNewline)
  const message = `${path} doesn't exist; it should hold the passphrase (mode 0600).`
  throw new Fault("passphrase_missing", message)
}

/** @throws {Fault} `passphrase_missing` where there is nothing in a secret that `source` gave. */
export function notEmpty(secret: Uint8Array, source: string): Uint8Array {
  if (secret.length > 0) return secret
  throw new Fault("passphrase_missing", `${source} is empty; it should hold the passphrase.`)
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
