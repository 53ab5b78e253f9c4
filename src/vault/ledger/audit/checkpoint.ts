import {
  createPrivateKey,
  createPublicKey,
  sign,
  verify,
  generateKeyPairSync,
  type KeyObject,
} from "node:crypto"

import { Fault } from "../../../std/fault.ts"
import { err, ok, type Result } from "../../../std/result.ts"
import { readPrivateFile } from "../../../std/fs/private-file.ts"
import { writeNewFile } from "../../keyring/write-new-file.ts"
import type { CheckpointRow } from "../records/row.ts"
import type { Checkpoint, LedgerKey } from "../store/audit-jobs.ts"
import type { Head } from "../store/store.ts"

/** Signs the journal's head with the ledger's key (Ed25519, RFC 8032). */
export function checkpointRow(
  head: Head,
  key: LedgerKey,
  { id, atMs }: { readonly id: string; readonly atMs: number },
): CheckpointRow {
  const fields = {
    head_seq: head.seq,
    head_hash: Buffer.from(head.hash).toString("hex"),
    public_key: key.publicKey,
  }
  const secret = createPrivateKey({
    key: Buffer.from(key.secret),
    format: "der",
    type: "pkcs8",
  })
  const signature = sign(null, signedText({ ...fields, at_ms: atMs }), secret)
  return { kind: "checkpoint", id, at_ms: atMs, ...fields, signature: signature.toString("hex") }
}

/** Whether a checkpoint's signature is of its own public key over what it says. */
export function isSigned(checkpoint: Checkpoint): boolean {
  try {
    const key = createPublicKey({
      key: Buffer.concat([spkiStart, Buffer.from(checkpoint.public_key, "hex")]),
      format: "der",
      type: "spki",
    })
    return verify(null, signedText(checkpoint), key, Buffer.from(checkpoint.signature, "hex"))
  } catch {
    return false // the key isn't one
  }
}

/** RFC 8410 §4: what stands before the 32 bytes of an Ed25519 public key. */
const spkiStart = Buffer.from("302a300506032b6570032100", "hex")

/** The first line keeps it apart from anything else that such a key might sign. */
function signedText(fields: Omit<Checkpoint, "signature">): Uint8Array {
  const { public_key, head_seq, head_hash, at_ms } = fields
  const lines = ["countersign checkpoint 1", public_key, head_seq, head_hash, at_ms]
  return Buffer.from(`${lines.join("\n")}\n`)
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
