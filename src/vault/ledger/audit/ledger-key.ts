import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
  type KeyObject,
} from "node:crypto"

import { readPrivateFile, writeNewFile } from "../../../std/private-file.ts"
import { Fault } from "../../../std/fault.ts"
import { err, ok, type Result } from "../../../std/result.ts"
import type { LedgerKey } from "../store/audit-queries.ts"

/** A signature (Ed25519, RFC 8032) of a text that nothing else which is signed can be taken for. */
export function signWith({ secret }: LedgerKey, text: Uint8Array): Uint8Array {
  return sign(null, text, secret)
}

/** Whether a signature is that of the key whose public side is `publicKey`, hex. */
export function isSignedBy(publicKey: string, text: Uint8Array, signature: Uint8Array): boolean {
  try {
    const key = createPublicKey({
      key: Buffer.concat([spkiStart, Buffer.from(publicKey, "hex")]),
      format: "der",
      type: "spki",
    })
    return verify(null, text, key, signature)
  } catch {
    return false // the key isn't one
  }
}

/** RFC 8410 §4: what stands before the 32 bytes of an Ed25519 public key. */
const spkiStart = Buffer.from("302a300506032b6570032100", "hex")

/** A PEM file of an Ed25519 key is 119 bytes long. */
const maxFileBytes = 1_024

/**
 * Loads the key whose public side is `known`, or makes one where no checkpoint was ever signed. What is
 * wrong comes back as a sentence: without the key everything goes on but checkpoints.
 */
export async function loadLedgerKey(
  file: string,
  known: string | undefined,
): Promise<Result<LedgerKey, string>> {
  try {
    const key =
      (await readLedgerKey(file)) ?? (known === undefined ? await makeKey(file) : undefined)
    if (key === undefined) return err(`${file} is gone; put it back from a back-up`)
    if (known !== undefined && key.publicKey !== known) {
      return err(`${file} isn't this ledger's key; put that one back from a back-up`)
    }
    return ok(key)
  } catch (error) {
    return err(error instanceof Fault ? error.message.replace(/\.$/, "") : `${file} can't be used`)
  }
}

/** The key in `file`; `undefined` where there is none. @throws {Fault} `file_unsafe`. */
export async function readLedgerKey(file: string): Promise<LedgerKey | undefined> {
  const bytes = await readPrivateFile(file, maxFileBytes)
  return bytes === undefined ? undefined : keyOf(parsePem(bytes, file))
}

function parsePem(bytes: Uint8Array, file: string): KeyObject {
  try {
    const key = createPrivateKey(Buffer.from(bytes))
    if (key.asymmetricKeyType === "ed25519") return key
  } catch {
    // said below: OpenSSL's words might quote the file
  }
  throw new Fault("file_unsafe", `${file} doesn't hold an Ed25519 key; restore it from a back-up.`)
}

/** Another process may make it at the same time: whoever comes second takes what is there. */
async function makeKey(file: string): Promise<LedgerKey | undefined> {
  const { privateKey } = generateKeyPairSync("ed25519")
  const pem = privateKey.export({ format: "pem", type: "pkcs8" })
  return (await writeNewFile(file, pem)) ? keyOf(privateKey) : readLedgerKey(file)
}

function keyOf(secret: KeyObject): LedgerKey {
  const spki = createPublicKey(secret).export({ format: "der", type: "spki" })
  return { secret, publicKey: spki.subarray(spkiStart.length).toString("hex") }
}
