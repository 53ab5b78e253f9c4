// The admin socket's calls about copies of the ledger and about the clock.

import * as z from "zod"

export const safetyParams = {
  acceptClock: z.strictObject({}),
  acceptRestore: z.strictObject({}),
  /** Writes a copy of the ledger into the state directory; with `file`, goes on waiting for that one. */
  copyLedger: z.strictObject({ file: z.string().max(4_096).optional() }),
  /** Records that a copy up to this entry was written and checked. */
  recordBackup: z.strictObject({
    head_seq: z.int().min(0),
    head_hash: z.string().regex(/^[0-9a-f]{64}$/, "64 hex digits"),
  }),
}

export type SafetyResults = {
  readonly acceptClock: { readonly record: string; readonly now: number }
  readonly acceptRestore: {
    readonly record: string
    readonly signers: readonly { readonly signer: string; readonly nonce: number }[]
  }
  readonly copyLedger: { readonly file: string; readonly is_done: boolean }
  readonly recordBackup: { readonly record: string }
}
