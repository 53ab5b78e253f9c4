import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto"

import { Fault } from "../../std/fault.ts"
import { err, ok, type Result } from "../../std/result.ts"
import { readPrivateFile } from "../keyring/read-private-file.ts"
import { writeNewFile } from "../keyring/write-new-file.ts"
import { spkiStart } from "./checkpoint.ts"

/** What checkpoints are signed with. It signs nothing else and is worth nothing to a venue. */
export type LedgerKey = {
  /** PKCS#8, DER. */
  readonly secret: Uint8Array
  /** 32 bytes, hex. */
  readonly publicKey: string
}

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
    const key = (await readKey(file)) ?? (known === undefined ? await makeKey(file) : undefined)
    if (key === undefined) return err(`${file} is gone; put it back from a back-up`)
    if (known !== undefined && key.publicKey !== known) {
      return err(`${file} isn't this ledger's key; put that one back from a back-up`)
    }
    return ok(key)
  } catch (error) {
    return err(error instanceof Fault ? error.message.replace(/\.$/, "") : `${file} can't be used`)
  }
}

async function readKey(file: string): Promise<LedgerKey | undefined> {
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
  return (await writeNewFile(file, pem)) ? keyOf(privateKey) : readKey(file)
}

function keyOf(key: KeyObject): LedgerKey {
  const spki = createPublicKey(key).export({ format: "der", type: "spki" })
  return {
    secret: key.export({ format: "der", type: "pkcs8" }),
    publicKey: spki.subarray(spkiStart.length).toString("hex"),
  }
}
