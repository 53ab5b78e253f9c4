import { createPrivateKey, createPublicKey, sign, verify } from "node:crypto"

import type { Head } from "./journal.ts"
import type { LedgerKey } from "./ledger-key.ts"
import type { CheckpointFields, CheckpointRow } from "./row.ts"

/** A journal's head at some time, signed: what is kept elsewhere to be compared with later. */
export type Checkpoint = CheckpointFields & { readonly at_ms: number }

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
export const spkiStart = Buffer.from("302a300506032b6570032100", "hex")

/** The first line keeps it apart from anything else that such a key might sign. */
function signedText(fields: Omit<Checkpoint, "signature">): Uint8Array {
  const { public_key, head_seq, head_hash, at_ms } = fields
  const lines = ["countersign checkpoint 1", public_key, head_seq, head_hash, at_ms]
  return Buffer.from(`${lines.join("\n")}\n`)
}
