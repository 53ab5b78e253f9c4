import type { RowsOf } from "../records/row.ts"
import type { Checkpoint, LedgerKey } from "../store/audit-queries.ts"
import type { Head } from "../store/store.ts"
import { isSignedBy, signWith } from "./ledger-key.ts"

/** Signs the journal's head with the ledger's key (Ed25519, RFC 8032). */
export function checkpointRow(
  head: Head,
  key: LedgerKey,
  { id, atMs }: { readonly id: string; readonly atMs: number },
): RowsOf["checkpoint"] {
  const fields = {
    head_seq: head.seq,
    head_hash: Buffer.from(head.hash).toString("hex"),
    public_key: key.publicKey,
  }
  const signature = signWith(key, signedText({ ...fields, at_ms: atMs }))
  return {
    kind: "checkpoint",
    id,
    at_ms: atMs,
    ...fields,
    signature: Buffer.from(signature).toString("hex"),
  }
}

/** Whether a checkpoint's signature is of its own public key over what it says. */
export function isSigned(checkpoint: Checkpoint): boolean {
  const signature = Buffer.from(checkpoint.signature, "hex")
  return isSignedBy(checkpoint.public_key, signedText(checkpoint), signature)
}

/** The first line keeps it apart from anything else that such a key might sign. */
function signedText(fields: Omit<Checkpoint, "signature">): Uint8Array {
  const { public_key, head_seq, head_hash, at_ms } = fields
  const lines = ["countersign checkpoint 1", public_key, head_seq, head_hash, at_ms]
  return Buffer.from(`${lines.join("\n")}\n`)
}
